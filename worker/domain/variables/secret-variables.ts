/**
 * Decides whether a variable is secret if the user did not choose: by its name, then by the form of its value. In doubt a variable is
 * secret: choosing "plain" takes one request, and a leak can't be undone. docs/guide/variables.md lists the rules.
 */

/** Parts of a name that mark it as secret anywhere. */
const secretParts = /SECRET|TOKEN|PASS|CREDENTIAL|PRIVATE|APIKEY/;
/** Whole words of the name: `API_KEY`, `KEY_2`, `SENTRY_DSN`, but not `KEYCLOAK_URL`. */
const secretWords = /(?:^|_)(?:KEYS?|DSN|PWD|AUTH|JWT|SALT)\d*(?=_|$)/;
/** The shell's working directories, not passwords. */
const workingDirectories = new Set(['PWD', 'OLDPWD']);

/**
 * A URL with a password: `scheme://user:password@` (RFC 3986, 3.2.1), also one with an unencoded `/`, but not `http://host:3000/@path`.
 * A password contains no `://`, so that the time is linear in the length of the value: tenants choose it, and it can have 64 KB.
 */
const urlWithPassword =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@]{0,256}:(?!\d{1,5}(?:[/?#,]|$))((?:[^\s@:]|:(?!\/\/)){1,1024})@/i;
/** Matches `password=...` in a URL's query, or in a connection string such as `Server=db;Password=...`. */
const passwordField =
  /(?:^|[?&;\s])(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|shared ?access ?(?:key|signature)|sig|auth)\s*=\s*([^\s&;]+)/i;
/** URLs that are credentials as a whole: incoming webhooks of Slack and Discord. */
const webhookUrl =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\//i;
/** The label of a PEM block (RFC 7468, section 2). */
const pemBlock = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;
const publicPem =
  /^(?:(?:X509 |TRUSTED )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|X509 CRL|(?:RSA |PGP )?PUBLIC KEY(?: BLOCK)?|DH PARAMETERS)$/;
/** `-----BEGIN` in base64, the one-line form in which services issue key files. */
const encodedPem = /\bLS0tLS1CRUdJTi/;

/** A text of references only: `${db.POSTGRES_PASSWORD}`. The variables that they refer to are checked separately. */
const onlyReferences = /^(?:\$\{[^{}]*\})+$/;

/**
 * Whether a variable is secret by the rule.
 * @param value as written or resolved; for an empty value only the name is checked
 */
export function isSecretByRule(key: string, value: string): boolean {
  return isSecretName(key) || isSecretShape(value);
}

function isSecretName(key: string): boolean {
  if (workingDirectories.has(key)) return false;
  return secretParts.test(key) || secretWords.test(key);
}

/** Whether a value looks like a credential, whatever its variable's name. */
function isSecretShape(value: string): boolean {
  return (
    [urlWithPassword, passwordField].some((shape) => holdsText(shape.exec(value)?.[1])) ||
    [issuedToken, jsonWebToken, webhookUrl, encodedPem].some((shape) => shape.test(value)) ||
    Array.from(value.matchAll(pemBlock)).some(([, label = '']) => !publicPem.test(label))
  );
}

const holdsText = (password: string | undefined): boolean =>
  password !== undefined && !onlyReferences.test(password);

/**
 * Patterns of well-known credentials, for the rule of secret variables and for masking text that leaves the platform. A
 * JSON Web Token (RFC 7519).
 */
export const jsonWebToken = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/;

/**
 * Tokens by the prefixes that their issuers document: GitHub, GitLab, npm, Slack, AWS, Stripe, OpenAI and Anthropic, Google, Docker Hub,
 * SendGrid, Hugging Face, DigitalOcean, Shopify, PyPI, age, Standard Webhooks, this platform.
 */
export const issuedToken =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt)-[\w-]{16,}|npm_\w{20,}|x(?:ox[abeoprs]|app)-[\w-]{10,}|A[KS]IA[A-Z0-9]{12,}|[rs]k[_-](?:live|test|ant|proj|or)?[\w-]{16,}|AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|dckr_\w+_[\w-]{16,}|SG\.[\w-]{16,}|hf_\w{20,}|do[opr]_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{20,}|pypi-[\w-]{20,}|AGE-SECRET-KEY-\w{20,}|whsec_[\w+/=-]{20,}|ls[ek]_\w{20,})/;

export const everywhere = (shape: RegExp): RegExp => new RegExp(shape.source, `${shape.flags}g`);
