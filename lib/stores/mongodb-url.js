'use strict';

const { didYouMean, show, wrongValue } = require('../errors');
const { collectionName } = require('../validators');

// Where programs that share their counters with us keep theirs.
const DEFAULT_COLLECTION = 'ids'; // plain and dated ones
const DEFAULT_COUNTERS_COLLECTION = 'counters'; // cyclic and time-stamped ones

// The options that libmongoc knows, from 1.21 on: mongoc-uri.h, in the spelling of MongoDB's "URI Options
// Specification". It ignores all others, and so would ignore a typo.
const LIBMONGOC_OPTIONS = [
  'appName', 'authMechanism', 'authMechanismProperties', 'authSource', 'canonicalizeHostname', 'compressors',
  'connectTimeoutMS', 'directConnection', 'gssapiServiceName', 'heartbeatFrequencyMS', 'journal',
  'loadBalanced', 'localThresholdMS', 'maxIdleTimeMS', 'maxPoolSize', 'maxStalenessSeconds', 'minPoolSize',
  'readConcernLevel', 'readPreference', 'readPreferenceTags', 'replicaSet', 'retryReads', 'retryWrites',
  'safe', 'serverSelectionTimeoutMS', 'serverSelectionTryOnce', 'socketCheckIntervalMS', 'socketTimeoutMS',
  'srvMaxHosts', 'srvServiceName', 'ssl', 'sslAllowInvalidCertificates', 'sslAllowInvalidHostnames',
  'sslCertificateAuthorityFile', 'sslClientCertificateKeyFile', 'sslClientCertificateKeyPassword', 'tls',
  'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames', 'tlsCAFile', 'tlsCertificateKeyFile',
  'tlsCertificateKeyFilePassword', 'tlsDisableCertificateRevocationCheck', 'tlsDisableOCSPEndpointCheck',
  'tlsInsecure', 'w', 'wTimeoutMS', 'waitQueueMultiple', 'waitQueueTimeoutMS', 'zlibCompressionLevel',
];
// Options that only the package mongodb knows. These are other names of options of libmongoc; `timeoutMS`
// becomes `socketTimeoutMS` where that is not given.
const RENAMED_OPTIONS = { j: 'journal', writeConcern: 'w', wtimeout: 'wTimeoutMS' };
// These only tune that package: libmongoc does not get them.
const DRIVER_OPTIONS = [
  'autoSelectFamily', 'autoSelectFamilyAttemptTimeout', 'enableOverloadRetargeting', 'family',
  'maxAdaptiveRetries', 'maxConnecting', 'minHeartbeatFrequencyMS', 'minInternalBufferSize',
  'mongodbLogMaxDocumentLength', 'mongodbLogPath', 'monitorCommands', 'noDelay', 'serverMonitoringMode',
];
// These concern documents of the service, or are retired, and newer versions refuse them: nobody gets them.
const UNUSED_OPTIONS = [
  'bsonRegExp', 'checkKeys', 'enableUtf8Validation', 'forceServerObjectId', 'fsync', 'ignoreUndefined',
  'promoteBuffers', 'promoteLongs', 'promoteValues', 'raw', 'serializeFunctions', 'useBigInt64',
  'autoReconnect', 'bufferMaxEntries', 'keepAlive', 'keepAliveInitialDelay', 'poolSize',
  'reconnectInterval', 'reconnectTries', 'useCreateIndex', 'useFindAndModify', 'useNewUrlParser',
  'useUnifiedTopology',
];
// These change where or how safely one connects: what the store would do without them.
const BYPASS = 'the store would connect without the proxy';
const REFUSED_OPTIONS = {
  proxyHost: BYPASS,
  proxyPort: BYPASS,
  proxyUsername: BYPASS,
  proxyPassword: BYPASS,
  autoEncryption: 'the store would write without encryption',
  tlsCRLFile: 'the store would accept revoked certificates',
  servername: 'the store would ask for another TLS server name',
  srvAllowedHostsSuffix: 'the store would check the hosts from DNS by another rule',
};
const USEFUL_OPTIONS = ['collection', ...LIBMONGOC_OPTIONS, 'timeoutMS', ...DRIVER_OPTIONS];
const KNOWN_OPTIONS = new Map([
  ...USEFUL_OPTIONS, ...UNUSED_OPTIONS, ...Object.keys(RENAMED_OPTIONS), ...Object.keys(REFUSED_OPTIONS),
].map((name) => [name.toLowerCase(), name]));

// Options with secrets in their values. An unescaped & in one makes its rest look like another option.
const SECRET_OPTIONS = new Set([
  'authMechanismProperties', 'proxyPassword', 'sslClientCertificateKeyPassword',
  'tlsCertificateKeyFilePassword',
]);

// Options that make a write or a read less safe than it is without them: the values that do so, and what to
// say.
const UNDONE = 'a failover or a crash of the server may undo a confirmed reservation, and the same ids ' +
  'are given again';
const WEAK_OPTIONS = {
  w: { values: /^(?!majority$)/i, words: `is not 'majority': ${UNDONE}; leave it out` },
  safe: { values: /^/, words: `lets a single server confirm a write: ${UNDONE}; leave it out` },
  journal: { values: /^(false|f|no|n|0|-1)$/i, words: `is off: ${UNDONE}; leave it out` },
  readConcernLevel: {
    values: /^(majority|available|snapshot)$/i,
    words: 'allows outdated reads: a pruned period may begin again, or a valid counter be refused; ' +
      'leave it out',
  },
};

/**
 * Parses a mongodb: or mongodb+srv: URL by MongoDB's "Connection String Specification" (Node's URL class
 * cannot: there may be several hosts), and removes our own option `collection` from it.
 *
 * Stricter than the specification where a mistake could go unnoticed: names of options must be known, none
 * may be given twice, and reserved characters must be percent-encoded. No message shows credentials, or a
 * part of the URL that could belong to them. Returns, among others:
 *   url         for libmongoc
 *   driverUrl   for the package mongodb
 *   ignored     if any, the names of options that libmongoc does not get
 *   shown       the URL for errors, without credentials and options
 *   secrets     the texts that no error may show, each in all forms in which a server may repeat it
 *   weaknesses  if any, sentences: which options make duplicates possible
 */
function parseMongodbUrl(url) {
  const [, scheme, slashes, rest] = /^(mongodb(?:\+srv)?):(\/\/)?(.*)$/s.exec(url);
  if (!slashes) {
    throw wrongValue(`the MongoDB URL has no '//' after '${scheme}:'`, `${scheme}://host/database`);
  }
  if (/\s|[^ -~\xa0-\uffff]/.test(rest) || !rest.isWellFormed()) {
    throw wrongValue('the MongoDB URL has spaces, line ends or control characters', 'none of them',
      'percent-encode those that belong to it (a space is %20)');
  }

  const [, authority, tail] = /^([^/?#]*)(.*)$/.exec(rest);
  if (tail.includes('@') || tail.startsWith('#')) throw unescapedCredentials();
  const at = authority.lastIndexOf('@');
  const password = at === -1 ? '' : passwordOf(authority.slice(0, at));
  const hosts = authority.slice(at + 1);
  checkHosts(hosts, scheme);

  const shownHosts = `${scheme}://${hosts}`;
  const [, slash, name, mark, options] = /^(\/?)([^?]*)(\??)(.*)$/.exec(tail);
  checkDatabase(slash ? name : '', shownHosts);
  const shown = `${shownHosts}/${name}`;
  const { collection, others, tuning, secrets, ...found } = readOptions(mark ? options : '', shown);
  const bare = `${scheme}://${authority}/${name}`;
  const urlWith = (query) => query.length === 0 ? bare : `${bare}?${query.join('&')}`;
  return {
    store: 'mongodb',
    url: urlWith(others),
    driverUrl: urlWith([...others, ...tuning]),
    collection: collection ?? DEFAULT_COLLECTION,
    countersCollection: collection ?? DEFAULT_COUNTERS_COLLECTION,
    shown,
    secrets: [...new Set([password, ...secrets].flatMap(formsOf))].filter((secret) => secret !== ''),
    ...found,
  };
}

// libmongoc takes a backslash for an escape: it would end the password elsewhere.
function passwordOf(credentials) {
  const parts = credentials.split(':');
  if (parts.length > 2 || /[@\\]/.test(credentials) || !isDecodable(credentials)) {
    throw unescapedCredentials();
  }
  if (parts[0] === '') {
    throw wrongValue('there is no user name before the @ of the MongoDB URL',
      'mongodb://USER:PASSWORD@host/database');
  }
  return parts[1] ?? '';
}

function unescapedCredentials() {
  return wrongValue('the MongoDB URL has a reserved character in the user name or the password, or an @ ' +
    'further right', ': / ? # [ ] @ % \\ to be percent-encoded',
  'use encodeURIComponent() (an @ is %40, a / is %2F, a \\ is %5C)');
}

// The secrets in the value of an option of SECRET_OPTIONS. Of authMechanismProperties (NAME:VALUE,…) all but
// the names, and what SERVICE_NAME and SERVICE_REALM say.
function secretsIn(name, value) {
  if (name !== 'authMechanismProperties') return [value];
  return value.split(/,|%2C/i).filter((property) => !/^SERVICE_\w*(:|%3A)/i.test(property))
    .map((property) => property.replace(/^.*?(:|%3A)/i, ''));
}

// As the URL has it, decoded, and percent-encoded in the ways of other programs.
function formsOf(secret) {
  const decoded = decodeURIComponent(secret);
  const encoded = encodeURIComponent(decoded)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return [secret, decoded, encoded, encoded.replace(/%../g, (code) => code.toLowerCase())];
}

// Without an @, hosts may be a user name and a password: shown are only those with a port or a likely slip.
function checkHosts(hosts, scheme) {
  if (hosts === '') {
    throw wrongValue('the MongoDB URL has no host', 'one, as in mongodb://host/database',
      'in the path of a socket, write %2F for /, as in mongodb://%2Ftmp%2Fmongodb-27017.sock/database');
  }
  // The table of all letters takes V8 a millisecond, and few hosts need it.
  const inAscii = /^[ -~]*$/.test(hosts) ? hosts : hosts.replace(/(?![ -~])[\p{L}\p{N}]/gu, 'a');
  if (scheme === 'mongodb+srv') {
    if (/^[\w-]+(\.[\w-]+){2,}$/.test(inAscii)) return;
    throw wrongValue('the host of the mongodb+srv: URL is not a name that can be looked up',
      'one host, without a port and with at least two dots, as in ' +
        'mongodb+srv://cluster.example.com/database');
  }
  const wrong = inAscii.split(',').find((host) => !isHost(host));
  if (wrong === undefined) return;
  const isShown = inAscii === hosts && /^([\w.-]+|\[[\w:.%-]+\]):(\d{0,5}|undefined|null|NaN)$/.test(wrong);
  if (isShown) {
    throw wrongValue(`the port of '${wrong}' in the MongoDB URL is not valid`, 'a port from 1 to 65535');
  }
  throw wrongValue('a host or a port in the MongoDB URL is not valid',
    'names, addresses or sockets separated by commas, with ports from 1 to 65535, as in ' +
      'mongodb://host1:27017,host2:27017/database');
}

function isHost(host) {
  if (/^%2f[^:]*\.sock$/i.test(host)) return isDecodable(host);
  const [, port] = /^(?:[\w.-]+|\[[\w:.]+(?:%25[\w.-]+)?\])(?::(\d+))?$/.exec(host) ?? [undefined, '0'];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

function checkDatabase(name, shownHosts) {
  if (name === '') {
    throw wrongValue(`the URL ${shownHosts} has no database`,
      `its name after the hosts, as in ${shownHosts}/shop`);
  }
  if (!isDecodable(name) || /[/\\. "$#]|[^ -~\xa0-\uffff]/.test(decodeURIComponent(name))) {
    throw wrongValue(`the database in the URL ${shownHosts}/… has a name that MongoDB refuses`,
      'one without / \\ . " $ # and spaces, and with % only in percent-encoded UTF-8');
  }
  if (decodeURIComponent(name) === 'local') {
    throw wrongValue("the database 'local' is not replicated",
      'another one, because numbers would be given again after a failover');
  }
}

// Checks the options. `others` are those that libmongoc gets; `tuning` are for the package mongodb besides.
function readOptions(options, shown) {
  const inUrl = `in the URL ${shown}`;
  if (/[?#;]/.test(options)) {
    throw wrongValue(`an option ${inUrl} has one of ? # ; in it`,
      'options separated by &, with ? # ; percent-encoded (%3F %23 %3B)');
  }
  let collection;
  const others = [];
  const tuning = [];
  const secrets = [];
  let ignored;
  let weaknesses;
  let timeout;
  const seen = new Set();
  for (const option of options.split('&')) {
    if (option === '') continue;
    const [, key, equals, value] = /^([^=]*)(=?)(.*)$/.exec(option);
    const given = KNOWN_OPTIONS.get(key.toLowerCase());
    if (given === undefined) throw unknownOption(key, inUrl, seen);
    if (Object.hasOwn(REFUSED_OPTIONS, given)) {
      throw wrongValue(`the option '${given}' ${inUrl} is not supported: ${REFUSED_OPTIONS[given]}`,
        'a connection of the package mongodb', 'call open(new MongoClient(url))');
    }
    const isRenamed = Object.hasOwn(RENAMED_OPTIONS, given);
    const name = isRenamed ? RENAMED_OPTIONS[given] : given;
    if (!equals) throw wrongValue(`the option '${name}' ${inUrl} has no value`, `${name}=VALUE`);
    if (!isDecodable(value)) {
      throw wrongValue(`the option '${name}' ${inUrl} has a % that encodes nothing`, '%25 for a %');
    }
    if (value.endsWith('\\')) {
      throw wrongValue(`the option '${name}' ${inUrl} ends with a \\`, '%5C for a \\',
        'percent-encode it, because libmongoc would join the next option to this one');
    }
    // The specification makes a list of these.
    if (seen.has(name) && name !== 'readPreferenceTags') {
      throw wrongValue(`the option '${name}' ${inUrl} is given twice`, 'it once', 'remove one of them');
    }
    seen.add(name);
    if (name === 'collection') {
      collection = collectionName(`the collection ${inUrl}`, decodeURIComponent(value));
    }
    else if (name === 'timeoutMS') timeout = value;
    else if (isRenamed) others.push(`${name}=${value}`);
    else if (DRIVER_OPTIONS.includes(name) || UNUSED_OPTIONS.includes(name)) {
      ignored = [...ignored ?? [], name];
      if (DRIVER_OPTIONS.includes(name)) tuning.push(option);
    }
    else others.push(option);
    if (SECRET_OPTIONS.has(name)) secrets.push(...secretsIn(name, value));
    const weak = Object.hasOwn(WEAK_OPTIONS, name) ? WEAK_OPTIONS[name] : undefined;
    if (weak?.values.test(decodeURIComponent(value))) {
      weaknesses = [...weaknesses ?? [], `the option '${name}' ${weak.words}`];
    }
  }
  // 0 stands for no limit: then the default of the store applies.
  if (Number(timeout ?? 0) !== 0 && !seen.has('socketTimeoutMS')) others.push(`socketTimeoutMS=${timeout}`);
  return { collection, others, tuning, ignored, secrets, weaknesses };
}

function unknownOption(key, inUrl, seen) {
  if ([...seen].some((name) => SECRET_OPTIONS.has(name))) {
    return wrongValue(`unknown option ${inUrl}, not shown here because it may be part of a secret`,
      'an & in a value to be written as %26');
  }
  return wrongValue(`unknown option ${show(key)} ${inUrl}`,
    "'collection' or an option of libmongoc or of the package mongodb",
    didYouMean(key, USEFUL_OPTIONS, 'leave it out'));
}

function isDecodable(text) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

module.exports = { parseMongodbUrl };
