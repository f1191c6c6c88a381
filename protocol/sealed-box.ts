/**
 * The format of a sealed box: secrets on their way from the control plane to one runner.
 * An ephemeral X25519 key agrees with the runner's sealing key; HKDF-SHA-256 (empty salt) makes an AES-256-GCM key of it.
 * Written as base64url of `ephemeral public key (32) | iv (12) | ciphertext and tag`.
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

/** Where a sealed question (protocol/host-request) goes: it belongs to no job, so its kind stands in the job's place. */
export function questionPlace(runnerId: string, op: string) {
  return { runnerId, job: `question:${op}`, epoch: 0 };
}
