// A library with NVML's interface and made-up values, written from the NVML API Reference Guide: one H200-like GPU
// called "GPU-1" on bus 0000:1b:00.0. FAKE_NVML_REASONS is its mask of clock event reasons, FAKE_NVML_INIT what
// nvmlInit returns, FAKE_NVML_P2P the status of NVLink between two GPUs.
#include <cstdlib>
#include <cstring>

extern "C" {

using nvmlReturn_t = int;
enum { NVML_SUCCESS = 0, NVML_ERROR_INVALID_ARGUMENT = 2, NVML_ERROR_NOT_SUPPORTED = 3, NVML_ERROR_NOT_FOUND = 6 };
struct nvmlDevice_st {
  int unused;
};
using nvmlDevice_t = nvmlDevice_st*;
static nvmlDevice_st the_gpu;

nvmlReturn_t nvmlInit_v2() {
  const char* status = std::getenv("FAKE_NVML_INIT");
  return status ? std::atoi(status) : NVML_SUCCESS;
}
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
const char* nvmlErrorString(nvmlReturn_t status) { return status == 9 ? "Driver Not Loaded" : "Unknown"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.65.06", length);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (std::strcmp(uuid, "GPU-1") != 0) return NVML_ERROR_NOT_FOUND;
  *device = &the_gpu;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_t* device) {
  if (std::strcmp(bus, "0000:1b:00.0") != 0) return NVML_ERROR_NOT_FOUND;
  *device = &the_gpu;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t, unsigned* current, unsigned* pending) {
  *current = 1;
  *pending = 0;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t, unsigned* milliwatts) {
  *milliwatts = 700000;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t, int type, unsigned* MHz) {
  if (type != 1) return NVML_ERROR_INVALID_ARGUMENT;  // 1 is NVML_CLOCK_SM
  *MHz = 1980;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, int type, unsigned* MHz) {
  if (type != 1) return NVML_ERROR_INVALID_ARGUMENT;
  *MHz = 1755;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t, unsigned* generation) {
  *generation = 5;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t, unsigned* width) {
  *width = 99;
  return NVML_ERROR_NOT_SUPPORTED;
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, int sensor, unsigned* celsius) {
  if (sensor != 0) return NVML_ERROR_INVALID_ARGUMENT;  // 0 is NVML_TEMPERATURE_GPU
  *celsius = 41;
  return NVML_SUCCESS;
}
// As drivers before 535 call it: the newer name is missing here.
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* reasons) {
  const char* mask = std::getenv("FAKE_NVML_REASONS");
  *reasons = mask ? std::strtoull(mask, nullptr, 0) : 0;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t, unsigned long long* millijoules) {
  *millijoules = 123456789;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t, nvmlDevice_t, int capability, int* status) {
  if (capability != 2) return NVML_ERROR_INVALID_ARGUMENT;  // 2 is NVML_P2P_CAPS_INDEX_NVLINK
  const char* answer = std::getenv("FAKE_NVML_P2P");
  *status = answer ? std::atoi(answer) : 0;  // NVML_P2P_STATUS_OK
  return NVML_SUCCESS;
}

}  // extern "C"
