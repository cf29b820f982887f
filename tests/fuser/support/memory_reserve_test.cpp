#include "fuser/support/memory_reserve.h"

#include <gtest/gtest.h>

#include <new>

namespace fuser {
namespace {

TEST(MemoryReserveTest, TheFirstFailureGivesItBackAndThrows) {
  keepMemoryForErrors();
  const std::new_handler handler = std::get_new_handler();
  ASSERT_NE(handler, nullptr);
  EXPECT_THROW(handler(), std::bad_alloc);
  EXPECT_EQ(std::get_new_handler(), nullptr);  // the next one throws at once
  keepMemoryForErrors();
  EXPECT_EQ(std::get_new_handler(), handler);
  std::set_new_handler(nullptr);
}

}  // namespace
}  // namespace fuser
