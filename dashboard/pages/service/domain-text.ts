/** Texts of a domain's own certificate, and of its records at a connected DNS provider. */
import { count } from '../../text/count.ts';

export const ownCertificateText = {
  open: 'Certificate',
  openLabel: (name: string) => `Certificate of ${name}`,
  title: (name: string) => `Certificate of ${name}`,
  automatic: 'This name gets its certificate automatically.',
  mayGive: 'You can use your own certificate and key instead.',
  warns: 'It has no certificate yet: browsers warn before they open it.',
  isLocal: 'Without a certificate, by http: only this machine reaches names below localhost.',
  own: 'This name uses your own certificate. Longshore does not renew it.',
  ended:
    'The certificate has expired, and browsers refuse it. Replace it, or remove it to get an automatic one.',
  names: 'Names',
  issuer: 'Issuer',
  valid: 'Valid',
  span: (from: string, end: string) => `${from} to ${end}`,
  key: 'Key',
  chain: (n: number) => count(n, 'certificate'),
  chainName: 'Chain',
  fingerprint: 'SHA-256',
  certificate: 'Certificate and chain (PEM)',
  certificateHelp: 'First the certificate of the name, then the intermediate certificates.',
  privateKey: 'Private key (PEM)',
  privateKeyHelp:
    'Not encrypted; RSA, or EC with P-256 or P-384. It is stored encrypted and never shown again.',
  drop: 'Drop the PEM files here, or',
  choose: 'choose files',
  files: 'PEM files',
  noPem: (name: string) =>
    `${name} is no PEM file: it has no line with “BEGIN CERTIFICATE” or “BEGIN PRIVATE KEY”.`,
  tooLarge: (name: string) => `${name} is too large for a certificate or a key.`,
  give: 'Use this certificate',
  replace: 'Replace the certificate',
  given: (name: string) => `${name} uses your certificate`,
  remove: 'Remove it',
  removeTitle: (name: string) => `Remove the certificate of ${name}?`,
  removeHelp:
    'The certificate and its key are deleted. Longshore then orders an automatic certificate. Until it is issued, browsers may refuse the name.',
  removed: (name: string) => `${name} gets its certificate automatically again`,
} as const;

export const dnsRecordsText = {
  open: 'Set at provider',
  openLabel: (name: string) => `Set at provider: DNS record of ${name}`,
  title: (name: string) => `Set the DNS record of ${name}`,
  help: 'Several connected accounts of DNS providers have the zone of this name. Choose the one that the name servers of the zone belong to.',
  provider: 'Provider',
  providers: { cloudflare: 'Cloudflare', namecheap: 'Namecheap', spaceship: 'Spaceship' },
  submit: 'Set record',
  replaceTitle: (name: string) => `Replace the DNS record of ${name}?`,
  replaceHelp: 'Visitors of this name then reach the host of this service.',
  replaceSubmit: 'Replace record',
  done: (type: string, name: string, ip: string, provider: string) =>
    `${type} record of ${name} now points to ${ip} at ${provider}`,
  proofFailed: (why: string) => `The TXT record was not created: ${why}`,
} as const;
