/** Updates to new digests of a service's image. The setting `imageUpdates` switches them on. */
import { z } from 'zod';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectImageUpdate, selectLiveDigest } from '../../store/image-updates/image-update-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { imageUpdateSchema, presentImageUpdate } from '../present/present-image-update.ts';

const show = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/image-update',
  access: 'read',
  summary:
    'Show whether the registry has a new digest of the image, when it deploys by itself, and how the last such update ended.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => {
    const serviceId = scopedServiceId(db, tokenId, parameter(params, 'serviceId'));
    return { updates: selectImageUpdate(db, serviceId), live: selectLiveDigest(db, serviceId) };
  },
  reply: z.strictObject({ imageUpdate: imageUpdateSchema.describe('The image and its update.') }),
  async handle({ deps, resource: { service }, read }) {
    const [row] = read.updates;
    const liveDigest = read.live[0]?.liveDigest ?? null;
    return { imageUpdate: presentImageUpdate(service, row, liveDigest, deps.now()) };
  },
});

export const imageUpdateRoutes: AnyRoute[] = [show];
