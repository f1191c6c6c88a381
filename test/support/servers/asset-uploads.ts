/** Uploads of static assets, as developers.cloudflare.com/workers/static-assets/direct-upload describes them. */
import { randomUUID } from 'node:crypto';

interface Session {
  /** Path and digest of each file. */
  manifest: Record<string, { hash: string; size: number }>;
  files: Map<string, Buffer>;
  isCompleted: boolean;
}

export function assetUploads() {
  const sessions = new Map<string, Session>();
  const stored = new Map<string, Buffer>();
  const missing = ({ manifest, files }: Session) =>
    Object.values(manifest).filter(({ hash }) => !files.has(hash) && !stored.has(hash));
  return {
    /** Returns the list of wanted files, with the token that uploads them. */
    async begin(request: Request) {
      const { manifest } = (await request.json()) as Pick<Session, 'manifest'>;
      const jwt = randomUUID();
      const session = { manifest, files: new Map(), isCompleted: false };
      sessions.set(jwt, session);
      const wanted = missing(session).map(({ hash }) => hash);
      session.isCompleted = wanted.length === 0;
      return { jwt, buckets: wanted.length === 0 ? [] : [wanted] };
    },
    /** Accepts files in base64; with the last one, returns the completion token. */
    async take(request: Request) {
      const jwt = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      const session = sessions.get(jwt);
      if (!session || new URL(request.url).searchParams.get('base64') !== 'true')
        throw new Error('no session, or not in base64');
      for (const [hash, file] of (await request.formData()).entries()) {
        const bytes = Buffer.from(await new Response(file).text(), 'base64');
        const announced = Object.values(session.manifest).find((one) => one.hash === hash);
        if (announced?.size !== bytes.length) throw new Error(`${hash} was not announced with this size`);
        session.files.set(hash, bytes);
      }
      if (missing(session).length > 0) return { jwt: null };
      session.isCompleted = true;
      for (const [hash, bytes] of session.files) stored.set(hash, bytes);
      return { jwt };
    },
    /** The files of a completed upload, by path. */
    completed(jwt: string): Map<string, Buffer> {
      const session = sessions.get(jwt);
      if (!session?.isCompleted) throw new Error('the upload of the assets is not complete');
      const files = Object.entries(session.manifest);
      return new Map(files.map(([path, { hash }]) => [path, stored.get(hash) ?? Buffer.alloc(0)]));
    },
  };
}
