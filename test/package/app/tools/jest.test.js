'use strict';

const { open, NextIdError } = require('nextid');

// Jest gives each file modules of its own, while the native module stays loaded.
test.each([1, 4])('a store gives ids that begin with %i', async (first) => {
  const ids = open(process.env.NEXTID_STORE);
  expect(await ids.sequence('orders').nextIds(3)).toEqual([first, first + 1, first + 2]);
  await ids.close();
  expect(() => ids.sequence('orders')).toThrow(NextIdError);
});
