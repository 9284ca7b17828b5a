'use strict';

// All kinds and the callbacks on an SQLite file: the ids, the files that close() leaves, and what comes next.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { promisify } = require('node:util');

const { open } = require('nextid');
const callbacks = require('nextid/callback');

const KINDS = [
  ['plain', {}, [1, 2, 3], 4],
  ['dated', { period: 'day' }, /^\d{6}-0*[1-3]$/, /-0*4$/],
  ['formatted', { format: 'INV-{count:6}' }, ['INV-000001', 'INV-000002', 'INV-000003'], 'INV-000004'],
  ['large', { bigint: true, start: 2n ** 60n }, [2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n], 2n ** 60n + 3n],
  ['encrypted', { encrypt: { key: '0f'.repeat(16), digits: 8 } }, /^\d{8}$/, /^\d{8}$/],
  ['cyclic', { cycle: 3 }, [1, 2, 3], 1],
  ['timestamped', { timestamp: true }, /^\d{22}$/, /^\d{22}$/],
];
const FILES = ['kinds.db', 'kinds.db-shm', 'kinds.db-wal'];

const files = () => fs.readdirSync('.').filter((name) => FILES.includes(name)).sort();

function check(id, expected) {
  if (expected instanceof RegExp) assert.match(id, expected);
  else assert.equal(id, expected);
}

async function main() {
  const first = open('sqlite:kinds.db');
  for (const [name, options, expected] of KINDS) {
    const ids = await first.sequence(name, options).nextIds(3);
    assert.equal(new Set(ids).size, 3);
    ids.forEach((id, i) => check(id, Array.isArray(expected) ? expected[i] : expected));
  }
  assert.deepEqual(files(), FILES);
  await first.close();
  assert.deepEqual(files(), ['kinds.db']);

  const second = open('sqlite:kinds.db');
  for (const [name, options, , next] of KINDS) check(await second.sequence(name, options).nextId(), next);
  assert.equal((await second.list()).length, KINDS.length);
  await second.close();

  const { init_id, next_id, close } = callbacks('sqlite:kinds.db');  
  const status = await promisify(init_id)('callbacks');
  const ids = await Promise.all(Array.from({ length: 25 }, () => promisify(next_id)(status)));
  assert.deepEqual(ids, Array.from({ length: 25 }, (_, i) => 1000 + i));
  await close();
  assert.deepEqual(files(), ['kinds.db']);
}

main();
