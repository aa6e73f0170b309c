# The headers that an outside program may include, by component: what find_package(speedwell COMPONENTS …) names and
# docs/cpp-headers.md (made by tools/header_index.py) describes. Installed are these and what they include; everything else in HEADERS of a library is for
# the other applications, tests and adapters of this tree.

# speedwell_public_headers(COMPONENT HEADER…): paths below speedwell/.
function(speedwell_public_headers component)
  set_property(GLOBAL PROPERTY SPEEDWELL_PUBLIC_HEADERS_${component} ${ARGN})
endfunction()

speedwell_public_headers(core
  core/cuda.hpp core/cuda_trace.hpp core/error.hpp core/host_buffer.hpp core/random.hpp core/statistics.hpp core/streaming_wins.hpp
  core/trace.hpp core/units.hpp core/verdict.hpp core/view.hpp)
speedwell_public_headers(cublas NONE)  # others link it
speedwell_public_headers(comm comm/communicator.hpp comm/decomposition.hpp comm/devices.hpp comm/environment.hpp comm/halo_exchange.hpp comm/halo_layout.hpp
  comm/pending_requests.hpp comm/redistribution.hpp comm/shared_channels.hpp comm/shared_memory.hpp comm/sums.hpp)
speedwell_public_headers(comm_gpu comm/gpu/device_halo_exchange.hpp comm/gpu/device_sums.hpp comm/gpu/peer_memory.hpp comm/gpu/transport.hpp)
speedwell_public_headers(io
  io/atomic_file.hpp io/blast_tabular.hpp io/cell_field.hpp io/checkpoint.hpp io/error.hpp io/fasta.hpp io/hdf5.hpp io/limits.hpp io/matrix_market.hpp
  io/sam.hpp io/source.hpp io/sparse_matrix.hpp io/vtk.hpp io/xdmf.hpp)
speedwell_public_headers(stream apps/stream/stream.hpp apps/stream/cuda.hpp)
speedwell_public_headers(transfer apps/transfer/transfer.hpp apps/transfer/fit.hpp apps/transfer/cuda.hpp)
speedwell_public_headers(matvec apps/matvec/matvec.hpp apps/matvec/distributed.hpp apps/matvec/cuda.hpp apps/matvec/gpu_solver.hpp)
speedwell_public_headers(alignment
  apps/alignment/alignment.hpp apps/alignment/device_search.hpp apps/alignment/gpu_pair.hpp
  apps/alignment/gpu_pair_on_devices.hpp
  apps/alignment/gpu_search.hpp apps/alignment/pair_division.hpp
  apps/alignment/sequences/masking.hpp apps/alignment/scoring/matrix_file.hpp apps/alignment/sequences/sequence_file.hpp apps/alignment/scoring/statistics.hpp
  apps/alignment/scoring/scoring.hpp apps/alignment/sequences/sequence_set.hpp)
speedwell_public_headers(alignment_ranks apps/alignment/distributed.hpp apps/alignment/distributed_shared.hpp)
speedwell_public_headers(ssca1 apps/ssca1/ssca1.hpp apps/ssca1/benchmark.hpp)
speedwell_public_headers(database_search
  apps/alignment/database_search/database_search.hpp apps/alignment/database_search/file_search.hpp
  apps/alignment/database_search/hit_writer.hpp apps/alignment/database_search/masking.hpp
  apps/alignment/database_search/pairwise.hpp apps/alignment/database_search/records.hpp
  apps/alignment/database_search/scores.hpp apps/alignment/database_search/scoring_request.hpp
  apps/alignment/database_search/sequences.hpp)
speedwell_public_headers(database_search_ranks apps/alignment/database_search/search_on_ranks.hpp)
speedwell_public_headers(wavefront
  apps/wavefront/wavefront.hpp apps/wavefront/distributed.hpp apps/wavefront/gpu_distributed.hpp apps/wavefront/gpu_solver.hpp
  apps/wavefront/model.hpp)
speedwell_public_headers(sparse numerics/sparse/sparse.hpp numerics/sparse/gpu_sparse.hpp)
speedwell_public_headers(krylov
  numerics/krylov/bicgstab.hpp numerics/krylov/conjugate_gradients.hpp numerics/krylov/gpu_bicgstab.hpp numerics/krylov/gpu_sparse_cg.hpp
  numerics/krylov/sparse_cg.hpp)
speedwell_public_headers(fft numerics/fft/fft.hpp numerics/fft/gpu_fft.hpp)
speedwell_public_headers(fft_ranks numerics/fft/ranks/distributed.hpp numerics/fft/ranks/gpu_distributed.hpp numerics/fft/ranks/gpu_samples.hpp)
speedwell_public_headers(npb
  apps/npb/ep/distributed.hpp apps/npb/ep/ep.hpp apps/npb/ep/gpu_distributed.hpp apps/npb/ep/gpu_solver.hpp apps/npb/ft/distributed.hpp apps/npb/ft/ft.hpp apps/npb/ft/gpu_distributed.hpp apps/npb/ft/gpu_fused_solver.hpp apps/npb/ft/gpu_solver.hpp
  apps/npb/ft/official.hpp)
speedwell_public_headers(incompressible_flow
  apps/incompressible_flow/incompressible_flow.hpp apps/incompressible_flow/distributed.hpp
  apps/incompressible_flow/statistics/energy_spectrum.hpp
  apps/incompressible_flow/gpu_distributed.hpp apps/incompressible_flow/gpu_solver.hpp apps/incompressible_flow/initial.hpp apps/incompressible_flow/mesh/mesh.hpp
  apps/incompressible_flow/statistics/profiles.hpp apps/incompressible_flow/simulation.hpp apps/incompressible_flow/statistics/statistics.hpp
  apps/incompressible_flow/stepper.hpp)
speedwell_public_headers(stencil
  apps/stencil/stencil.hpp apps/stencil/distributed.hpp apps/stencil/distributed_cg.hpp apps/stencil/gpu_cg.hpp apps/stencil/gpu_distributed.hpp apps/stencil/gpu_stencil.hpp
  apps/stencil/assemble.hpp)
speedwell_public_headers(blast_wave
  apps/blast_wave/blast_wave.hpp apps/blast_wave/blocks7.hpp apps/blast_wave/gpu_blocks7.hpp apps/blast_wave/gpu_distributed.hpp apps/blast_wave/gpu_solver.hpp
  apps/blast_wave/case_file.hpp apps/blast_wave/distributed.hpp apps/blast_wave/stepper.hpp)
speedwell_public_headers(vector_calculus
  apps/vector_calculus/vector_calculus.hpp apps/vector_calculus/distributed.hpp apps/vector_calculus/distributed_grid.hpp
  apps/vector_calculus/expression.hpp apps/vector_calculus/fields.hpp
  apps/vector_calculus/gpu_distributed.hpp apps/vector_calculus/gpu_distributed_grid.hpp
  apps/vector_calculus/gpu_vector_calculus.hpp apps/vector_calculus/grid.hpp apps/vector_calculus/totals.hpp)
speedwell_public_headers(two_stream apps/two_stream/two_stream.hpp apps/two_stream/distributed.hpp apps/two_stream/gpu_solver.hpp)
speedwell_public_headers(gups apps/gups/gups.hpp apps/gups/distributed.hpp apps/gups/gpu_solver.hpp)
speedwell_public_headers(uts apps/uts/uts.hpp apps/uts/distributed.hpp apps/uts/gpu_distributed.hpp apps/uts/gpu_solver.hpp)
speedwell_public_headers(binary_fluid
  apps/binary_fluid/binary_fluid.hpp apps/binary_fluid/case_file.hpp apps/binary_fluid/distributed.hpp
  apps/binary_fluid/gpu_distributed.hpp apps/binary_fluid/gpu_solver.hpp
  apps/binary_fluid/stepper.hpp)
speedwell_public_headers(simulation
  simulation/checkpoint_details.hpp simulation/driver.hpp simulation/options.hpp simulation/plan.hpp simulation/schedule.hpp
  simulation/solver.hpp)

# speedwell_includes(RESULT HEADER): what of Speedwell it includes, as paths below speedwell/.
function(speedwell_includes result header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/speedwell/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/speedwell/${header} includes REGEX "^#include \"speedwell/")
  list(TRANSFORM includes REPLACE "^#include \"speedwell/([^\"]*)\".*" "\\1")
  set(${result} "${includes}" PARENT_SCOPE)
endfunction()

# Cuts the header set of each of the libraries TARGETS to what is to be installed. A header belongs to the library that lists
# it in HEADERS, otherwise to that by which it is reached first.
function(speedwell_keep_public_headers)
  foreach(target ${ARGN})
    get_target_property(headers ${target} HEADER_SET)
    get_target_property(folder ${target} SOURCE_DIR)
    foreach(header ${headers})
      get_filename_component(path ${header} ABSOLUTE BASE_DIR ${folder})
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/speedwell ${path})
      set(owner_of_${path} ${target})
    endforeach()
  endforeach()
  set(kept "")
  foreach(target ${ARGN})
    string(REPLACE "speedwell_" "" component ${target})
    get_property(unread GLOBAL PROPERTY SPEEDWELL_PUBLIC_HEADERS_${component})
    if(NOT unread)
      message(FATAL_ERROR "${target} is installed, and SpeedwellPublicHeaders.cmake names no header of it")
    endif()
    list(REMOVE_ITEM unread NONE)
    while(unread)
      list(POP_FRONT unread header)
      if(header IN_LIST kept)
        continue()
      endif()
      list(APPEND kept ${header})
      set(owner ${target})
      if(DEFINED owner_of_${header})
        set(owner ${owner_of_${header}})
      endif()
      list(APPEND headers_of_${owner} ${PROJECT_SOURCE_DIR}/speedwell/${header})
      speedwell_includes(includes ${header})
      list(APPEND unread ${includes})
    endwhile()
  endforeach()
  foreach(target ${ARGN})
    set_property(TARGET ${target} PROPERTY HEADER_SET ${headers_of_${target}})
  endforeach()
endfunction()
