/** Guesses the port on which an app listens. The app also gets the port of its service as PORT, which most obey. */
import type { SourceText } from './source-texts.ts';

export interface FoundPort {
  port: number;
  reason: string;
}

/** A port in a command line: `next start -p 3000`, `uvicorn --port=8000`, `gunicorn -b 0.0.0.0:8000`, `php -S 0.0.0.0:8000`. */
const inCommand =
  /(?:(?:^|\s)(?:-p|--port|--listen|-l)[= ]|(?:-b|--bind|-S|-addr|--addr|--host)[= ]\S*?:)(?<port>\d{2,5})\b/;

/** Calls that open a port with a number and without a variable. */
const inCode: readonly RegExp[] = [
  /\.listen\(\s*(?<port>\d{2,5})\b/,
  /\.listen\(\s*\{[^}]{0,200}?\bport:\s*(?<port>\d{2,5})\b/,
  /\bListenAndServe\(\s*"[^":]*:(?<port>\d{2,5})"/,
  /\b(?:app|application)\.run\([^)]{0,200}?\bport\s*=\s*(?<port>\d{2,5})\b/,
  /\buvicorn\.run\([^)]{0,200}?\bport\s*=\s*(?<port>\d{2,5})\b/,
  /\bTcpListener::bind\(\s*"[^":]*:(?<port>\d{2,5})"/,
  /\bBun\.serve\(\s*\{[^}]{0,200}?\bport:\s*(?<port>\d{2,5})\b/,
];
/** The app takes the port from the environment somewhere, so a number is only its default. */
const readsPort =
  /\b(?:process|Bun)\.env\.PORT\b|environ(?:\.get\(|\[)\s*["']PORT["']|(?:[Gg]etenv|env::var|ENV\[|ENV\.fetch\()\(?\s*["']PORT["']|Deno\.env\.get\(\s*["']PORT["']/;

/** @param command the start command, if the plan has one @returns undefined: nothing names another port than that of the service */
export function appPort(command: string | null, texts: readonly SourceText[]): FoundPort | undefined {
  const named = valid(command ? inCommand.exec(command)?.groups?.port : undefined);
  if (named !== undefined) return { port: named, reason: `The start command names port ${named}.` };
  if (texts.some(({ text }) => readsPort.test(text))) return undefined;
  for (const { path, text } of texts) {
    for (const pattern of inCode) {
      const port = valid(pattern.exec(text)?.groups?.port);
      if (port !== undefined) return { port, reason: `${path} listens on port ${port}.` };
    }
  }
  return undefined;
}

/** The port that an image or a Dockerfile exposes: `3000`, `3000/tcp`. Several: the first that is not for encryption. */
export function exposedPort(exposed: readonly string[], what: string): FoundPort | undefined {
  const ports = exposed.flatMap((one) => {
    const port = /\/udp$/i.test(one) ? undefined : valid(/^(\d{1,5})(?:\/tcp)?$/i.exec(one)?.[1]);
    return port === undefined ? [] : [port];
  });
  const port = ports.find((one) => one !== 443 && one !== 8443) ?? ports[0];
  if (port === undefined) return undefined;
  const others = ports.length > 1 ? `, of ${ports.join(', ')}` : '';
  return { port, reason: `${what} exposes port ${port}${others}.` };
}

function valid(text: string | undefined): number | undefined {
  const port = Number(text);
  return text !== undefined && port >= 1 && port <= 65_535 ? port : undefined;
}
