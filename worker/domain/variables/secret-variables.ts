/**
 * Decides whether a variable is secret if the user did not choose: by its name, then by the form of its value. If in doubt, a variable is
 * secret, because choosing "plain" takes one request and a leak can't be undone. docs/guide/variables.md lists the rules.
 */
import { issuedToken, jsonWebToken } from './credential-shapes.ts';

/** Anywhere in the name. */
const secretParts = /SECRET|TOKEN|PASS|CREDENTIAL|PRIVATE|APIKEY/;
/** Whole words of the name: `API_KEY`, `KEY_2`, `SENTRY_DSN`, but not `KEYCLOAK_URL`. */
const secretWords = /(?:^|_)(?:KEYS?|DSN|PWD|AUTH|JWT|SALT)\d*(?=_|$)/;
/** The shell's working directories, not passwords. */
const workingDirectories = new Set(['PWD', 'OLDPWD']);

/**
 * A URL with a password: `scheme://user:password@` (RFC 3986, 3.2.1), also one with an unencoded `/`, but not `http://host:3000/@path`.
 * A password contains no `://`, so that the time grows only linearly with the length of the value: it can have 64 KB, and tenants choose it.
 */
const urlWithPassword =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@]{0,256}:(?!\d{1,5}(?:[/?#,]|$))((?:[^\s@:]|:(?!\/\/)){1,1024})@/i;
/** `password=...` in a URL's query, or in a connection string such as `Server=db;Password=...`. */
const passwordField =
  /(?:^|[?&;\s])(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|shared ?access ?(?:key|signature)|sig|auth)\s*=\s*([^\s&;]+)/i;
/** URLs that are credentials as a whole: incoming webhooks of Slack and Discord. */
const webhookUrl =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\//i;
/** The label of a PEM block (RFC 7468, section 2). */
const pemBlock = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;
const publicPem =
  /^(?:(?:X509 |TRUSTED )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|X509 CRL|(?:RSA |PGP )?PUBLIC KEY(?: BLOCK)?|DH PARAMETERS)$/;
/** `-----BEGIN` in base64, as services hand out key files for one line. */
const encodedPem = /\bLS0tLS1CRUdJTi/;

/** A text of references only: `${db.POSTGRES_PASSWORD}`. The variables that they refer to are checked separately. */
const onlyReferences = /^(?:\$\{[^{}]*\})+$/;

/**
 * Whether a variable is secret by the rule.
 * @param value as written or resolved; for an empty value only the name counts
 */
export function isSecretByRule(key: string, value: string): boolean {
  return isSecretName(key) || isSecretShape(value);
}

function isSecretName(key: string): boolean {
  if (workingDirectories.has(key)) return false;
  return secretParts.test(key) || secretWords.test(key);
}

/** Whether a value looks like a credential, whatever its variable is called. */
function isSecretShape(value: string): boolean {
  return (
    [urlWithPassword, passwordField].some((shape) => holdsText(shape.exec(value)?.[1])) ||
    [issuedToken, jsonWebToken, webhookUrl, encodedPem].some((shape) => shape.test(value)) ||
    Array.from(value.matchAll(pemBlock)).some(([, label = '']) => !publicPem.test(label))
  );
}

const holdsText = (password: string | undefined): boolean =>
  password !== undefined && !onlyReferences.test(password);
