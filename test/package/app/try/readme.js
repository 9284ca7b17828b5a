'use strict';

// node readme.js STORE_URL: README's service as it stands there, but for the store and the port.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { assertDistinct, next, order, replaced, start, terminate, untilSomeAreLeft } = require('./support');

const [url] = process.argv.slice(2);

function readmeService() {
  const readme = fs.readFileSync(path.join(__dirname, '..', 'node_modules', 'nextid', 'README.md'), 'utf8');
  const [, code] = /^## Use\n+(?:<!-- .+ -->\n)?```js\n(.+?)^```/ms.exec(readme);
  const withStore = replaced(code, "open('sqlite:ids.db')", 'open(process.env.NEXTID_STORE)');
  const tell = '() => process.send({ port: server.address().port })';
  return replaced(withStore, 'app.listen(3000)', `app.listen(0, '127.0.0.1', ${tell})`);
}

async function main() {
  const file = path.join(__dirname, '..', 'services', 'of-readme.js');
  fs.writeFileSync(file, readmeService());
  const answers = [];
  for (let round = 0; round < 3; round++) {
    const { service, port } = await start(file, url);
    answers.push(await order(port));
    const last = await untilSomeAreLeft(url, async () => {
      answers.push(await order(port));
      return answers.at(-1).id;
    });
    await terminate(service);
    assert.equal(await next(url), last + 1, 'the numbers that were not used are given back');
  }
  assertDistinct(answers.map(({ id }) => id));
  assert.deepEqual(answers.map(({ id }) => id), answers.map((_, i) => 1 + i), 'no number was lost');
}

main();
