import process from 'node:process';
import { NextIdError, open } from 'nextid';
import { expect, test } from 'vitest';

test.each([1, 4])('a store gives ids that begin with %i', async (first) => {
  const ids = open(process.env.NEXTID_STORE);
  expect(await ids.sequence('orders').nextIds(3)).toEqual([first, first + 1, first + 2]);
  await ids.close();
  expect(() => ids.sequence('orders')).toThrow(NextIdError);
});
