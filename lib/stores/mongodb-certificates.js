'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');

// Where distributions keep the certificates of the authorities that they trust, in one file. OpenSSL knows
// the place of the system that it was built for, and the prebuilt one was built for another.
const PLACES = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // RHEL, Fedora, Amazon Linux
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', // the same, newer
  '/etc/ssl/ca-bundle.pem', // SUSE
  '/etc/ssl/cert.pem',
];

let written; // once in a process

/**
 * The file of the authorities that TLS is to trust where the URL names none; undefined where OpenSSL looks by
 * itself, because SSL_CERT_FILE or SSL_CERT_DIR says where. Without any such file those that Node brings are
 * written to one, that goes when the process ends.
 * @param {string[]} [places] for tests
 * @returns {string | undefined}
 */
function authoritiesFile(places = PLACES) {
  if (process.env.SSL_CERT_FILE || process.env.SSL_CERT_DIR) return undefined;
  return places.find(isReadable) ?? (written ??= writeNodesOwn());
}

function isReadable(file) {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return fs.statSync(file).size > 0;
  } catch {
    return false;
  }
}

function writeNodesOwn() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-certificates-'));
  const file = path.join(folder, 'roots.pem');
  fs.writeFileSync(file, tls.rootCertificates.join('\n'), { mode: 0o600 });
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return file;
}

/**
 * A MongoDB URL as parseMongodbUrl() gives it, with `tlsCAFile` where it uses TLS and names no authorities.
 * @param {string} url
 * @param {() => string | undefined} [file] for tests
 */
function withAuthorities(url, file = authoritiesFile) {
  const [address, options = ''] = url.split('?');
  const given = new Map(options.split('&').map((option) => option.split('=')).map(
    ([name, value]) => [name.toLowerCase(), value]));
  const said = given.get('tls') ?? given.get('ssl');
  const usesTls = said === undefined
    ? url.startsWith('mongodb+srv:') || [...given.keys()].some((name) => /^(tls|ssl)/.test(name))
    : said === 'true';
  const isNamed = given.has('tlscafile') || given.has('sslcertificateauthorityfile');
  const authorities = usesTls && !isNamed ? file() : undefined;
  if (authorities === undefined) return url;
  return `${address}?${options === '' ? '' : `${options}&`}tlsCAFile=${encodeURIComponent(authorities)}`;
}

module.exports = { authoritiesFile, withAuthorities };
