#include <gtest/gtest.h>

#include <string>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

class SqliteCyclicTest : public SqliteStoreTest {
 protected:
  std::string row() { return run_sql(path_, "SELECT val, maxval FROM cyclic_counters"); }
};

TEST_F(SqliteCyclicTest, GoesFrom1ToTheEndAndFrom1Again) {
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 0)), (Range{1, 1}));
  EXPECT_EQ(row(), "0|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 4)), (Range{1, 5}));
  EXPECT_EQ(row(), "4|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 6)), (Range{5, 11}));
  EXPECT_EQ(row(), "10|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 0)), (Range{1, 1}));
  EXPECT_EQ(row(), "10|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 1)), (Range{1, 2}));
  EXPECT_EQ(row(), "1|10");
}

}  // namespace
}  // namespace nextid::sqlite
