'use strict';

// The store in MongoDB through a connection that the service already has: a MongoClient, a Db, or a
// connection of Mongoose. It keeps the same documents as the native store, so both may run side by side.

const path = require('node:path');

const { clearTimeout, setTimeout } = require('../clock');
const { NextIdError, messageOf, wrongValue } = require('../errors');
const {
  COUNTING, DOCUMENT, KINDS, PROJECTION, fieldsOf, identity, keyIn, listed, mayBeShared, recordIn,
  statementOf, toRecord,
} = require('./mongodb-documents');
const { blamesDocuments, classify, isConflict, isDisconnect } = require('./mongodb-driver-errors');

const OLDEST_DRIVER = 6;
const OLDEST_MONGOOSE = 8; // with that driver
// In ms, of one command: less than in ruled-store.js, because errors of the driver say more.
const ATTEMPT_TIME = 4500;
const IDLE_TIME = 2000; // ms, after which a client of nextid's own is closed
// Whatever the service's own connection asks for.
const WRITE_CONCERN = { w: 'majority', j: true, wtimeout: 4000 };
// Wrapped values show which type a number has.
const OPTIONS = { promoteValues: false, readPreference: 'primary' };

const ELSEWHERE = "keep the counters in a collection of their own (option 'collection')";
const DUPLICATES_TO_SUSPECT = 3;
const MOST_TRIES = 3; // to make an index

const isFunction = (value) => typeof value === 'function';
const isDb = (object) => isFunction(object.command) && isFunction(object.collection);
const isClient = (object) => isFunction(object.db) && isFunction(object.startSession);
const isConnection = (object) => isFunction(object.asPromise) && isFunction(object.getClient);
const isMongoose = (object) => isFunction(object.createConnection) && object.connection !== undefined;

function accepts(source) {
  return isMongoose(source) || isConnection(source) || isDb(source) || isClient(source);
}

function parse(source) {
  if (isMongoose(source)) {
    throw wrongValue('the store is Mongoose itself', 'a connection', 'call open(mongoose.connection)');
  }
  refuseOldDriver(clientOf(source));
  refuseOld('mongoose', isConnection(source) ? source.base?.version : undefined, OLDEST_MONGOOSE);
  return { store: 'mongodb-driver', source, shown: shownAs(source) };
}

function connect(parsed, { maxConcurrentRefills, collection }) {
  const table = new DocumentTable({ collection, countersCollection: collection, ...parsed });
  return require('./ruled-store').openTable(table, maxConcurrentRefills);
}

/** The same for what parseMongodbUrl() returned, with a client of its own. Undefined without the package. */
function connectUrl({ driverUrl, ...parsed }, { maxConcurrentRefills }) {
  const mongodb = loadDriver([process.cwd(), require.main?.path, __dirname].filter(Boolean));
  if (mongodb === undefined) return undefined;
  const options = { appName: 'nextid', ...unlessGiven(driverUrl, {
    connectTimeoutMS: ATTEMPT_TIME, serverSelectionTimeoutMS: ATTEMPT_TIME, socketTimeoutMS: ATTEMPT_TIME,
  }) };
  const source = new OwnClient(() => refuseOldDriver(new mongodb.MongoClient(driverUrl, options)));
  return connect({ ...parsed, source }, { maxConcurrentRefills });
}

function unlessGiven(url, options) {
  const given = url.toLowerCase();
  return Object.fromEntries(Object.entries(options).filter(([name]) => !given.includes(name.toLowerCase())));
}

/** The package mongodb as found from the folders `paths`, or that of mongoose. Undefined without one. */
function loadDriver(paths) {
  const find = (name, from) => require.resolve(name, { paths: from });
  try {
    return require(find('mongodb', paths));
  } catch {
    try {
      return require(find('mongodb', [path.dirname(find('mongoose', paths))]));
    } catch {
      return undefined;
    }
  }
}

function refuseOldDriver(client) {
  refuseOld('mongodb', client?.options?.metadata?.driver?.version, OLDEST_DRIVER);
  return client;
}

// Newer versions may not tell which they are.
function refuseOld(name, version, oldest) {
  if (!(Number.parseInt(version, 10) < oldest)) return;
  throw wrongValue(`the connection is of version ${version} of the package ${name}`,
    `version ${oldest} or newer`, `run npm install ${name}@latest`);
}

function clientOf(source) {
  if (isConnection(source)) return source.db?.client;
  return isDb(source) ? source.client : source;
}

// After a failure to connect for the first time, a client stays closed until connect() is called. One that
// its owner has closed has no topology.
async function connectAgain(client) {
  if (client?.topology?.isDestroyed?.()) await client.connect();
}

function shownAs(source) {
  const hosts = clientOf(source)?.options?.hosts?.join() ?? 'a connection of Mongoose';
  const database = source.databaseName ?? source.name ?? source.options?.dbName;
  return hosts.includes(' ') ? hosts : `mongodb://${hosts}${database ? `/${database}` : ''}`;
}

// A client for a URL. An open one keeps the process alive, so it is closed while nobody uses it. After a lost
// connection, another client takes over, because the driver may never reconnect: it may look for the server
// by a connection that is just being closed, and then waits for that socket's 'drain' (mongodb 7.9).
class OwnClient {
  #make;
  #client;
  #users = new Map(); // how many each open client has
  #timer;

  constructor(make) {
    this.#make = make;
    this.#client = make(); // throws at once if the URL is wrong
  }

  async use(work) {
    clearTimeout(this.#timer);
    const client = this.#client ??= this.#make();
    this.#users.set(client, (this.#users.get(client) ?? 0) + 1);
    try {
      return await work(client.db());
    } catch (error) {
      if (isDisconnect(error) && this.#client === client) this.#client = undefined;
      throw error;
    } finally {
      this.#leave(client);
    }
  }

  async close() {
    clearTimeout(this.#timer);
    await Promise.all(Array.from(this.#users.keys(), (client) => this.#close(client)));
  }

  #leave(client) {
    const users = this.#users.get(client) - 1;
    this.#users.set(client, users);
    if (users > 0) return;
    const close = () => this.#close(client).catch(() => {});
    if (client === this.#client) this.#timer = setTimeout(close, IDLE_TIME);
    else close();
  }

  async #close(client) {
    if (client === this.#client) this.#client = undefined;
    this.#users.delete(client);
    await client.close();
  }
}

class DocumentTable {
  #source;
  #shown;
  #collections;
  #hasPrefixIndex = false;
  #duplicates = new Map(); // of _id → how often in a row a document was refused that is not there

  constructor({ source, shown, collection = 'ids', countersCollection = 'counters' }) {
    this.#source = source;
    this.#shown = shown;
    this.#collections = { ids: collection, counters: countersCollection };
    this.places = Object.fromEntries(COUNTING.map((kind) => [kind, {
      in: this.#where(kind),
      ifFieldLost: `; or if the document belongs to another program, ${ELSEWHERE}`,
    }]));
  }

  // Dated counters without a name are found by their prefix, so no two may have the same.
  async prepare({ name }) {
    if (name !== '' || this.#hasPrefixIndex) return;
    await this.#ensurePrefixIndex();
    this.#hasPrefixIndex = true;
  }

  async read(key) {
    const document = await this.#findOne(key.kind, identity(key));
    if (document === undefined) return undefined;
    const record = toRecord(key, document);
    if (record !== undefined) return record;
    if (key.kind === 'pruned' || mayBeShared(document)) return undefined;
    throw this.#taken(key, document);
  }

  async compareAndSet(key, record, next) {
    const document = record?.[DOCUMENT];
    const statement = statementOf(key, document, next);
    const name = this.#collectionOf(key.kind);
    const reply = await this.#write(statement.deletes
      ? { delete: name, deletes: statement.deletes } : { update: name, updates: statement.updates });
    const refused = reply.writeErrors?.[0];
    if (refused === undefined) {
      this.#duplicates.delete(textOf(identity(key)));
      return Number(reply.n) === 1;
    }
    if (document === undefined) await this.#suspectIndex(key, refused);
    return false;
  }

  async add(key, { by, least, most, from }) {
    const { value, returned } = fieldsOf(key.kind);
    const fits = { $gte: least, $lte: most, $type: ['int', 'long'], $not: { $type: 'array' } };
    const query = { ...identity(key), [value]: fits };
    if (key.kind === 'dated') query.making = { $exists: false };
    if (from !== undefined) query[returned] = { $not: { $gt: from } };
    const reply = await this.#write({
      findAndModify: this.#collectionOf(key.kind), query, update: { $inc: { [value]: by } }, new: true,
      fields: { [value]: 1 },
    });
    const left = reply.value?.[value];
    return left === undefined ? undefined : BigInt(String(left));
  }

  async entries() {
    return this.#use((database) => this.#entriesIn(database));
  }

  async #entriesIn(database) {
    const entries = [];
    for (const name of new Set(COUNTING.map((kind) => this.#collectionOf(kind)))) {
      const kinds = COUNTING.filter((kind) => this.#collectionOf(kind) === name);
      const options = { ...OPTIONS, projection: PROJECTION };
      const cursor = database.collection(name).find(listed(kinds), options);
      for await (const document of cursor) {
        for (const kind of kinds) {
          const key = keyIn(kind, document);
          if (key !== undefined) entries.push([key, recordIn(key, document)]);
        }
      }
    }
    return entries;
  }

  async now() {
    const { localTime } = await this.#command({ hello: 1 });
    return localTime.getTime() * 1000;
  }

  // A connection of the service stays open.
  async close() {
    if (this.#source instanceof OwnClient) await this.#source.close();
  }

  markRemedy(name, period) {
    return `in the MongoDB shell: db.getCollection('${this.#collectionOf('pruned')}').updateOne({_id: ` +
      `${quoted(`${name}:pruned`)}}, {$set: {'pruned.${period}': P}})`;
  }

  failureOf(error, isWrite) {
    return classify(error, isWrite, `MongoDB at ${this.#shown}`);
  }

  #where(kind) {
    return `in the collection '${this.#collectionOf(kind)}' of ${this.#shown}`;
  }

  #collectionOf(kind) {
    return this.#collections[KINDS[kind].isInIds ? 'ids' : 'counters'];
  }

  async #use(work) {
    if (this.#source instanceof OwnClient) return this.#source.use(work);
    const database = await this.#database();
    await connectAgain(database.client);
    return work(database);
  }

  async #database() {
    const source = this.#source;
    if (isDb(source) && !isConnection(source)) return source;
    if (!isConnection(source)) return source.db();
    if (source.db === undefined) await source.asPromise();
    if (source.db !== undefined) return source.db;
    throw new NextIdError(messageOf('the connection of Mongoose is not connected', 'a connected one',
      'call mongoose.connect()'), { code: 'ERR_NEXTID_STORE_UNAVAILABLE' });
  }

  #command(command) {
    return this.#use((database) => database.command(command, OPTIONS));
  }

  // Refusals that left nothing written are in the reply's writeErrors.
  async #write(command) {
    let reply;
    try {
      reply = await this.#command({ ...command, writeConcern: WRITE_CONCERN });
    } catch (error) {
      if (!isConflict(error)) throw error;
      return { n: 0, writeErrors: [error] };
    }
    if (reply.writeConcernError) throw Object.assign(new Error(), { result: reply });
    const refused = reply.writeErrors?.[0];
    if (refused === undefined || isConflict(refused)) return reply;
    throw Object.assign(new Error(refused.errmsg), { code: Number(refused.code) });
  }

  async #findOne(kind, filter) {
    const reply = await this.#command({
      find: this.#collectionOf(kind), filter, projection: PROJECTION, limit: 1, singleBatch: true,
    });
    return reply.cursor.firstBatch[0];
  }

  async #indexes(kind) {
    const name = this.#collectionOf(kind);
    try {
      return await this.#use((database) => database.collection(name).listIndexes().toArray());
    } catch (error) {
      if (error.code === 26) return []; // there is no collection
      throw error;
    }
  }

  // Where several make it at once, one succeeds, and the others see it when they look again.
  async #ensurePrefixIndex() {
    const needed = 'dated sequences without a name need a unique index on prefix';
    let error;
    for (let tries = 0; tries < MOST_TRIES; ++tries) {
      const found = (await this.#indexes('dated')).find(({ key }) => Object.keys(key).join() === 'prefix');
      if (found?.unique && !found.partialFilterExpression) return;
      if (found !== undefined) {
        const problem = found.unique ? 'leaves documents out by a filter' : 'is not unique';
        throw invalid(messageOf(`the index '${found.name}' on prefix ${this.#where('dated')} ${problem}`,
          `a unique one, because ${needed}`, 'drop it, and nextid makes another'));
      }
      const named = { $or: [{ prefix: { $exists: false } }, { name: { $exists: true } }] };
      if (await this.#findOne('dated', named)) {
        throw invalid(messageOf(`there are counters with names ${this.#where('dated')}`,
          `a collection without them, because ${needed}`, 'give the sequence a name'));
      }
      const index = { key: { prefix: 1 }, name: 'prefix_1', unique: true };
      try {
        await this.#command({
          createIndexes: this.#collectionOf('dated'), indexes: [index], writeConcern: WRITE_CONCERN,
        });
        return;
      } catch (cause) {
        if (blamesDocuments(cause)) {
          throw invalid(messageOf(`there are documents of the same prefix ${this.#where('dated')}`,
            `one for each prefix, because ${needed}`, `remove the others, or ${ELSEWHERE}`));
        }
        if (!isConflict(cause)) throw cause;
        error = cause;
      }
    }
    throw error;
  }

  // A document that is refused again and again although it is not there: by an index other than that on _id.
  async #suspectIndex(key, refused) {
    const id = textOf(identity(key));
    const times = (this.#duplicates.get(id) ?? 0) + 1;
    this.#duplicates.set(id, times);
    if (times < DUPLICATES_TO_SUSPECT || await this.#findOne(key.kind, identity(key))) return;
    const unique = (await this.#indexes(key.kind)).filter((index) => index.unique);
    if (unique.length === 0) return;
    const fields = unique.map((index) => Object.keys(index.key).join(', ')).join('; ');
    const problem = `the counter of '${key.name}' cannot be made ${this.#where(key.kind)} ` +
      `(${refused.errmsg ?? refused.message})`;
    throw invalid(messageOf(problem, `no unique index on ${fields}`, `drop it, or ${ELSEWHERE}`));
  }

  #taken(key, document) {
    const problem = `the document ${quoted(String(document._id))} ${this.#where(key.kind)} belongs to ` +
      `another program or sequence, because it has no field ${KINDS[key.kind].marks[0]}`;
    const message = messageOf(problem, 'a counter, or no document', `use another name, or ${ELSEWHERE}`);
    return new NextIdError(message, { code: 'ERR_NEXTID_COUNTER_INVALID' });
  }
}

const quoted = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;
const textOf = (query) => String(query._id ?? query.prefix);
const invalid = (message) => new NextIdError(message, { code: 'ERR_NEXTID_STORE_INVALID' });

module.exports = {
  name: 'mongodb-driver', options: ['collection'],
  takes: ['a connection of Mongoose', 'a MongoClient', 'a Db'],
  accepts, parse, connect, connectUrl, loadDriver,
};
