#pragma once
// A rank is a process with a GPU of its own, the first that CUDA_VISIBLE_DEVICES shows it. NCCL carries bytes between
// GPUs; what receives a reduction adds on the host, with the code of every transport. Another communicator of the same
// ranks (MPI) carries the headers: what it says of ranks that left or wait for each other holds here.

#include "fuser/communicate/communicator.h"
#include "fuser/communicate/nccl/nccl_library.h"
#include "fuser/execute/cuda_driver.h"

namespace fuser {

// Returns when all ranks have called it. A UserError where libnccl, libcuda or a GPU is missing. Buffers may lie on the
// host or on the GPU.
//
// A wait also carries out this rank's earlier posts, in their order, since NCCL matches what two ranks exchange by the
// order in which they exchange it. So ranks must post what they share in the same order, across teams too, as ranks do
// that run one program. Works that were dropped are carried out at the next wait or at the end. A rank that fails after
// a post leaves others waiting on their GPUs until it is the end of its job (MPI ends it).
std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others);

// The same, with the libraries given.
std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& others, std::shared_ptr<const CudaDriver> driver,
                                                   std::shared_ptr<const NcclLibrary> nccl);

}  // namespace fuser
