'use strict';

const { atRandom } = require('../at-random');

const LONGEST_REPLY = 80; // bytes

/** An SQL server does what it is asked, and the connection is cut within its reply, at any byte. */
module.exports = atRandom({
  name: 'reply of an SQL server cut',
  pause: [20, 400],
  stores: ['postgres', 'mysql'],
  ways: ['UPDATE', 'INSERT', 'DELETE', ''],
  async bringAbout({ proxy, random, way }) {
    proxy.cutReplyAfter(Math.floor(random() * LONGEST_REPLY), way);
    return true;
  },
});
