'use strict';

// Numbers cross between lib and the addon as arrays, because arrays cost less than objects in C++. Only this
// file of lib knows what they look like; native/addon/shapes.h is its counterpart. A number is a BigInt if
// the sequence was opened with `bigint`.
//
// | shape                         | name        | native source               | meaning                     |
// | ----------------------------- | ----------- | --------------------------- | --------------------------- |
// | [first, end]                  | range       | stats().front               | in memory after the window  |
// |                               |             | callback takeBackWindow()   | what is left of the window  |
// | [first, end]                  | window      | take(), takeOrWait()        | numbers to hand out         |
// | [first, end, ms]              |             | the same, with maxAge       | and for how long            |
// | undefined                     | numbers     | wait(0), waitForBlock(0)    | none were asked for         |
// | number                        |             | wait(1), waitForBlock(1)    | one number                  |
// | [first, end, first, end, …]   |             | wait(n)                     | n numbers, increasing       |
// | [first, end]                  |             | waitForBlock(n)             | n consecutive numbers       |
// | [first, end, …, prefix]       |             | the same and n = 1, dated   | numbers of that period      |
// | [underWay, ended]             | returns     | returns()                   | how many ranges go back     |
// | number                        | given below | stats(), option givenBelow  | above all numbers given     |
// | [prefix, number, prefix, …]   |             | givenInPeriods(), option    | the same, for each period   |
//
// The end of a range is exclusive. The methods are those of native/addon/sequence_handle.h; a Promise of
// theirs resolves to the shape. Of the arrays of `given below`, lib only drops old periods.

const toRange = (first, end) => [first, end];

/** Whether takeOrWait() returned a window. Otherwise, it is a Promise of numbers. */
const isWindow = (got) => Array.isArray(got);

/** For how many ms the numbers of a window may be handed out. Undefined without maxAge. */
const lifetimeOf = (window) => window[2];

/** Whether numbers are a single number, without a period. */
const isSingle = (numbers) => !Array.isArray(numbers);

/** How many ranges make up numbers that are not single. */
const rangesIn = (numbers) => numbers.length >> 1;

/** The first number of a range, window, or the range `i` of numbers. */
const firstOf = (range, i = 0) => range[2 * i];

/** The end of a range, window, or the range `i` of numbers. */
const endOf = (range, i = 0) => range[2 * i + 1];

/** The period of numbers that are not single. Undefined if the sequence is not dated. */
const prefixOf = (numbers) => (numbers.length % 2 === 1 ? numbers.at(-1) : undefined);

/** How many ranges were given back. Undefined while one is being given back. */
const endedReturns = ([underWay, ended]) => (underWay === 0 ? ended : undefined);

/** Of `given below`, what is worth its memory when the sequence is gone: dated, the last two periods. */
const latestGiven = (given) => (Array.isArray(given) ? given.slice(-4) : given);

// The addon carries the code of a driver's error as a number. A code that is a text travels with the name.
const toDriverName = (name, code) => (typeof code === 'string' ? `${name}\n${code}` : name);

/** The { name, code } of a driver's error. `code` is missing where there is none. */
function driverCodeOf(driverName, number) {
  const [name, text] = driverName.split('\n');
  const code = text ?? number;
  return code === 0 ? { name } : { name, code };
}

module.exports = {
  driverCodeOf, endOf, endedReturns, firstOf, isSingle, isWindow, latestGiven, lifetimeOf, prefixOf,
  rangesIn, toDriverName, toRange,
};
