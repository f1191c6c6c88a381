/** Routes of a database's TLS certificate. */
import { z } from 'zod';
import { parameter, serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import {
  databaseTlsStatements,
  readDatabaseAuthority,
  readDatabaseTls,
} from '../usecases/databases/read-database-tls.ts';

/** What browsers save and certificate tools open. */
const pemType = 'application/x-pem-file';

const show = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/database/tls',
  access: 'read',
  summary:
    'Whether a PostgreSQL-compatible database offers TLS now, and where clients outside find it (`publicHostname` is empty when it is not public).',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => databaseTlsStatements(db, tokenId, parameter(params, 'serviceId')),
  reply: z.strictObject({
    tls: z.strictObject({
      active: z.boolean(),
      caCertAvailable: z.boolean(),
      publicHostname: z.string(),
      publicPort: z.int(),
    }),
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
    'The CA certificate (PEM) that clients verify the database with: `sslmode=verify-full sslrootcert=<file>`.',
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
