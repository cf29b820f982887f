#include "fuser/types/device_rates.h"

#include "fuser/support/check.h"

namespace fuser {

const DeviceRates& ratesOf(const NamedDevice& device) {
  static constexpr DeviceRates kRates[] = {
#define RATES(...) {__VA_ARGS__},
#include "fuser/types/device_rates.def"
#undef RATES
  };
  for (const DeviceRates& rates : kRates) {
    if (rates.device == device.name) return rates;
  }
  FUSER_CHECK(false, "no rates of the device ", device.name);
}

}  // namespace fuser
