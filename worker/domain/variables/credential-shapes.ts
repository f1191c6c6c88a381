/** What well-known credentials look like, for the rule of secret variables and for masking text that leaves the platform. */

/** A JSON Web Token (RFC 7519). */
export const jsonWebToken = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/;

/**
 * Tokens by the prefixes that their issuers document: GitHub, GitLab, npm, Slack, AWS, Stripe, OpenAI and Anthropic, Google, Docker Hub,
 * SendGrid, Hugging Face, DigitalOcean, Shopify, PyPI, age, Standard Webhooks, this platform.
 */
export const issuedToken =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt)-[\w-]{16,}|npm_\w{20,}|x(?:ox[abeoprs]|app)-[\w-]{10,}|A[KS]IA[A-Z0-9]{12,}|[rs]k[_-](?:live|test|ant|proj|or)?[\w-]{16,}|AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|dckr_\w+_[\w-]{16,}|SG\.[\w-]{16,}|hf_\w{20,}|do[opr]_v1_\w{20,}|shp(?:at|ca|pa|ss)_\w{20,}|pypi-[\w-]{20,}|AGE-SECRET-KEY-\w{20,}|whsec_[\w+/=-]{20,}|ls[ek]_\w{20,})/;

/** The same pattern for every occurrence in a text. */
export const everywhere = (shape: RegExp): RegExp => new RegExp(shape.source, `${shape.flags}g`);
