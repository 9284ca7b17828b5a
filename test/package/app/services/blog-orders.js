'use strict';

// A service as it was before nextid. try/blog.js moves it over, by its line that loads the two functions.

const http = require('node:http');
const { init_id, next_id } = require('./blog')(process.env.NEXTID_STORE);

init_id('myseq', (err, idstatus) => {
  if (err) throw err;
  const server = http.createServer((req, res) => {
    next_id(idstatus, (err, id) => {
      res.statusCode = err ? 503 : 200;
      res.end(JSON.stringify({ id, message: err?.message }));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
