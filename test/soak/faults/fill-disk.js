'use strict';

const path = require('node:path');
const { SmallDisk, canMount } = require('../../support/small-disk');
const { atRandom, rest } = require('../at-random');

const MEGABYTES = 2;
let disk;

/** The disk is full, and has room again. */
module.exports = atRandom({
  name: 'disk full',
  pause: [200, 1500],
  stores: ['sqlite'],
  alone: true, // a small disk
  needs: () => (canMount() ? undefined : 'root, to mount a disk'),
  async prepare({ direct }) {
    disk = new SmallDisk(path.dirname(direct.slice('sqlite:'.length)), MEGABYTES);
  },
  async cleanUp() {
    disk.remove();
  },
  async bringAbout({ random, signal }) {
    disk.fill();
    await rest(random() * 2000, signal);
    disk.makeRoom();
    return true;
  },
});
