/**
 * Redis keeps users in memory: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/. Here they are stored in a file
 * on the volume, which `ACL SAVE` writes, too. A start replaces its default user with the one of REDIS_PASSWORD.
 */
import { createHash } from 'node:crypto';

export const usersFile = '/data/users.acl';
const startFile = '/usr/local/etc/longshore-redis-start.sh';
const defaultUserFile = '/usr/local/etc/longshore-redis-default-user.acl';

/**
 * Starts Redis with the file of users, by the image's own entrypoint, which switches from root to the user of Redis. The entrypoint changes
 * the owner of files only if the directory contains no files but its own, so this script changes it: that user must be able to read and
 * replace the file. Versions before 7 don't use the file: their format of users differs, and restores need version 7, too.
 */
const startScript = `#!/bin/sh
set -e
server=$1
config=$2
shift 2
version=$("$server" --version | sed -n 's/.* v=\\([0-9]*\\)\\..*/\\1/p')
if [ "\${version:-0}" -ge 7 ]; then
  {
    cat ${defaultUserFile}
    if [ -f ${usersFile} ]; then grep -v '^user default ' ${usersFile} || true; fi
  } > ${usersFile}.new
  mv ${usersFile}.new ${usersFile}
  if [ "$(id -u)" = 0 ] && id redis > /dev/null 2>&1; then
    find /data \\! -user redis -exec chown redis '{}' +
  fi
  set -- --aclfile ${usersFile} "$@"
fi
set -- "$server" "$config" "$@"
if command -v docker-entrypoint.sh > /dev/null; then exec docker-entrypoint.sh "$@"; fi
exec "$@"
`;

/** The command of a container whose users survive its replacement, and the files that the command needs. */
export function withUsersFile(
  [server, config]: [server: string, config: string],
  password: string,
): { command: string[]; files: Record<string, string> } {
  const secret = password === '' ? 'nopass' : `#${createHash('sha256').update(password).digest('hex')}`;
  return {
    command: ['sh', startFile, server, config],
    files: {
      [startFile]: startScript,
      [defaultUserFile]: `user default on sanitize-payload ${secret} ~* &* +@all\n`,
    },
  };
}
