#include <gtest/gtest.h>

#include <string>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

TEST_F(SqliteStoreTest, ADatedTailIsGivenBackIfNobodyReservedAfterIt) {
  const CounterKey today = dated(140625);
  reserve(*store_, ask(today, 10));
  reserve(*store_, ask(dated(140624), 10));
  reserve(*store_, ask(dated(140625, ""), 10));
  EXPECT_FALSE(store_->release(dated(140626), {5, 11}).value());
  EXPECT_TRUE(store_->release(today, {5, 11}).value());
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*store_, ask(dated(140625, ""), 1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*store_, ask(today, 10)), (Range{5, 15}));
  reserve(*store_, ask(today, 2));
  store_->prune("orders", {140625}).value();
  EXPECT_FALSE(store_->release(today, {16, 17}).value()) << "made anew";
}

}  // namespace
}  // namespace nextid::sqlite
