/** TLS of a database: its state, and the CA certificate. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import {
  databaseTlsStatements,
  readDatabaseAuthority,
  readDatabaseTls,
} from '../../usecases/databases/read-database-tls.ts';

/** The media type that browsers save as a file and certificate tools open. */
const pemType = 'application/x-pem-file';

const show = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/database/tls',
  access: 'read',
  summary:
    'Show whether a PostgreSQL-compatible database offers TLS now, and its public address (`publicHostname` is empty when it has none).',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => databaseTlsStatements(db, tokenId, parameter(params, 'serviceId')),
  reply: z.strictObject({
    tls: z
      .strictObject({
        active: z.boolean().describe('Whether connections can use TLS.'),
        caCertAvailable: z.boolean().describe("Whether the CA's certificate can be downloaded."),
        publicHostname: z
          .string()
          .meta(note('Host name from outside; empty unless the database is public.', 'db.example.com')),
        publicPort: z.int().meta(note('Port from outside.', 45_000)),
      })
      .describe('TLS of the database.'),
  }),
  async handle({ deps, resource: { service }, read }) {
    return { tls: await readDatabaseTls(deps, service, read) };
  },
});

const authority = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/database/tls/ca',
  access: 'read',
  summary:
    'Download the CA certificate (PEM) with which clients verify the database: `sslmode=verify-full sslrootcert=<file>`.',
  resource: serviceResource,
  reply: 'stream',
  mediaType: pemType,
  async handle({ deps, resource: { service } }) {
    return new Response(await readDatabaseAuthority(deps, service), {
      headers: {
        'content-type': pemType,
        'content-disposition': `attachment; filename="${service.slug}-ca.pem"`,
      },
    });
  },
});

export const databaseTlsRoutes: AnyRoute[] = [show, authority];
