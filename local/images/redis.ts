/** Redis 8 from Debian trixie, without the modules (JSON, search) of the official image. */
import { debianImage } from './debian-image.ts';

export const redis = debianImage({
  image: 'redis:8',
  tree: { suite: 'trixie', packages: ['redis-server'] },
  user: { name: 'redis', id: 999 },
  dataDirectory: 'data',
  ownDirectories: ['data'],
  entrypoint: new URL('entrypoints/redis.sh', import.meta.url),
  revision: '1',
  finish: async () => {},
  config: ['WORKDIR /data', 'EXPOSE 6379', 'CMD ["redis-server"]'],
});
