/**
 * The format of a sealed box, for secrets that the control plane sends to one runner.
 * Key agreement of an ephemeral X25519 key with the runner's sealing key; HKDF-SHA-256 (empty salt) derives an AES-256-GCM key.
 * Encoded as base64url of `ephemeral public key (32) | iv (12) | ciphertext and tag`.
 */
export const sealedBox = {
  hkdfInfo: 'longshore-sealed-box-v1',
  publicKeyBytes: 32,
  ivBytes: 12,
} as const;

/** Additional data of the box: binds it to one host, job and attempt, so that it can't be replayed for another. */
export function sealedBoxContext(box: { runnerId: string; job: string; epoch: number }): string {
  return [box.runnerId, box.job, String(box.epoch)].join('\n');
}

/** The place for an encrypted request (protocol/host-request). It belongs to no job, so the operation replaces the job id. */
export function requestPlace(runnerId: string, op: string) {
  return { runnerId, job: `question:${op}`, epoch: 0 };
}
