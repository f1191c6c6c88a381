/** Separates certificates from keys: files may contain both in any order. */
export interface Pem {
  certificate: string;
  privateKey: string;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** @returns the certificates and the keys of a text, each as one text; empty if there are none */
export function pemBlocks(text: string): Pem {
  const found = [...text.matchAll(block)].map(([whole, kind = '']) => ({ whole, kind }));
  const joined = (isWanted: (kind: string) => boolean) =>
    found
      .filter(({ kind }) => isWanted(kind))
      .map(({ whole }) => `${whole}\n`)
      .join('');
  return {
    certificate: joined((kind) => kind.endsWith('CERTIFICATE')),
    privateKey: joined((kind) => kind.endsWith('PRIVATE KEY')),
  };
}
