/** The description of a self-hosted program for the API, and functions that write and read its data over HTTP. */
export interface Program {
  name: string;
  port: number;
  entrypoint: [string, ...string[]];
  command?: string[];
  env?: Record<string, string>;
  /** Contents by path. */
  files?: Record<string, string>;
  /** Other fields of the service. */
  more?: object;
  /** Stores a value. @param url of the service, without a slash at its end */
  write(url: string): Promise<unknown>;
  /** Returns text that contains `kept` as long as the data exists. */
  read(url: string): Promise<string>;
  kept: string;
}

/** The path of each program's volume. */
export const data = '/data';

/** The body of a request that must succeed. */
export async function http(method: string, url: string, body?: string, headers: Record<string, string> = {}) {
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${url} answered ${reply.status}: ${text}`);
  return text;
}

export const json = (method: string, url: string, body: unknown, headers: Record<string, string> = {}) =>
  http(method, url, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
