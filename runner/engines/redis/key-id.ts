/** The id of a key in the table API: its logical database and its bytes, `<database>:<base64url>`. */
export interface RedisKey {
  database: number;
  key: Buffer;
}

export function keyId({ database, key }: RedisKey): string {
  return `${database}:${key.toString('base64url')}`;
}

/** undefined when the text is not such an id, or not in its canonical spelling. */
export function parseKeyId(id: string): RedisKey | undefined {
  const [, digits, encoded] = /^(0|[1-9]\d{0,8}):([\w-]*)$/.exec(id) ?? [];
  if (digits === undefined || encoded === undefined) return undefined;
  const found = { database: Number(digits), key: Buffer.from(encoded, 'base64url') };
  return keyId(found) === id ? found : undefined;
}
