// SPEEDWELL_HD marks what host and device code share.
#pragma once

#ifdef __CUDACC__
#define SPEEDWELL_HD __host__ __device__
#else
#define SPEEDWELL_HD
#endif
