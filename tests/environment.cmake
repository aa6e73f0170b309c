# The environment that ctest gives all tests. OpenMP's threads wait for each other as they do in the program (speedwell/process/threads.cpp):
# for a moment, unless the user has chosen how. Left to themselves they spin for milliseconds, on cores that other tests need.
if(NOT DEFINED ENV{OMP_WAIT_POLICY} AND NOT DEFINED ENV{GOMP_SPINCOUNT} AND NOT DEFINED ENV{KMP_BLOCKTIME})
  set(ENV{GOMP_SPINCOUNT} 1000)
endif()
