#pragma once
// A benchmark for each stage of a case's way from seed to verdict: stage/generate … stage/case.

namespace fuser::fuzz {

// Also twice/lower: a copy that lowers everything twice, for trying the performance check.
void registerStageBenchmarks();

// segment/<shape>: the segmenter on long fusions of a known structure.
void registerSegmentBenchmarks();

// schedule/outputs: a schedule with a step for each of many outputs.
void registerScheduleBenchmarks();

}  // namespace fuser::fuzz
