#pragma once
// The NCCL transport: a rank is a process with a GPU of its own, the first in CUDA_VISIBLE_DEVICES. NCCL only carries
// bytes between GPUs; the receiver of a reduction computes it on the host, with exchange.h. Another communicator of the
// same ranks (MPI) carries the headers; its errors about ranks that left or deadlocked also apply here.

#include "fuser/communicate/communicator.h"
#include "fuser/communicate/nccl/nccl_library.h"
#include "fuser/execute/cuda_driver.h"

namespace fuser {

// Returns when all ranks have called it. A SetUpError if libnccl, libcuda or a GPU is missing. Buffers may be in host
// or device memory.
//
// A wait also performs this rank's earlier posts, in order, because NCCL matches the messages of two ranks by their
// order. So ranks must post the collectives that they share in the same order, across teams too, as ranks that run one
// program do. A destroyed Work is performed at the next wait or by the destructor. If a rank fails after a post, others
// wait on their GPUs until MPI aborts the job.
std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others);

// The same with libraries that are open already.
std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others, std::shared_ptr<const CudaDriver> driver,
                                                   std::shared_ptr<const NcclLibrary> nccl);

}  // namespace fuser
