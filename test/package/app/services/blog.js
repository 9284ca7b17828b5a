'use strict';

const { MongoClient } = require('mongodb');
const { blogFleet } = require('./blog-fleet'); // of test/support

module.exports = (url) => blogFleet(new MongoClient(url).db().collection('ids'));
