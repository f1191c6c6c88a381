/** Fills a volume with files of every kind and lists them, with Python in a separate container, not with the tools that back it up. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { ensureTestImage } from '../../stand-ins/ensure-test-image.ts';
import { everything } from '../level.ts';

const image = 'python:3.13-slim';

/** The full size takes minutes. */
const size = everything ? { files: 20_000, largeMb: 1_024 } : { files: 2_000, largeMb: 1 };
/** The maximum size of its backup in bytes. */
export const backupBytesMax = (size.largeMb + 8) * 2 ** 20;

/**
 * Every kind of file that an app can create: a database of 40 KB that comes first, thousands of small files, a large one, odd names and the socket of
 * a program. The owners are numbers that no image knows, up to the kernel's largest.
 */
const fill = String.raw`
import os, socket
os.chdir('/v')
open('!first.db', 'wb').write(os.urandom(40 * 1024))
os.makedirs('cache')
for n in range(${size.files}): open(f'cache/{n:05}', 'w').write(f'entry {n}')
for name in ['empty', 'deep/er/dir', 'with space']: os.makedirs(name)
for name, data in {'with space/file name': b'data', 'line\nbreak': b'x', 'ümlaut': b'u', b'\xff\xfe': b'bytes', 'run.sh': b'#!/bin/sh', '-rf': b'', 'n' * 200: b'long', 'first': b'linked', 'capable': b'elf'}.items():
    open(name, 'wb').write(data)
os.symlink('/etc/passwd', 'absolute'); os.symlink('../../outside', 'relative'); os.symlink('missing', 'dangling')
os.link('first', 'deep/second'); os.mkfifo('pipe', 0o640)
with open('sparse', 'wb') as f:
    f.seek(30 * 2**20); f.write(b'middle'); f.seek(60 * 2**20); f.write(b'end')
with open('large', 'wb') as f:
    for n in range(${size.largeMb}): f.write(os.urandom(2**20))
with open('large holes', 'wb') as f: f.truncate(${size.largeMb} * 2**20)
socket.socket(socket.AF_UNIX).bind('app.sock')
far = '/'.join(['a folder with a long name'] * 12); os.makedirs(far); open(far + '/file', 'w').write('far')
os.link(far + '/file', 'near'); os.symlink(far + '/file', 'long link')
for owner in [65_536, 100_000, 2_097_152, 4_294_967_294]:
    open(f'owned by {owner}', 'w').write('x'); os.chown(f'owned by {owner}', owner, owner)
os.setxattr('first', 'user.note', b'a\x00\xffb')
os.setxattr('capable', 'security.capability', bytes.fromhex('0100000200040000000000000000000000000000'))
for name in ['first', 'deep', 'pipe', '.']: os.chown(name, 4321, 8765)
os.lchown('dangling', 11, 12)
for name, mode in {'empty': 0o1777, 'deep': 0o2750, 'run.sh': 0o4755, 'with space/file name': 0, '.': 0o751}.items(): os.chmod(name, mode)
os.setxattr('capable', 'security.capability', bytes.fromhex('0100000200040000000000000000000000000000'))
os.utime('run.sh', ns=(0, 981173106789000123)); os.utime('deep/er', (-86400, -86400))
`;

/** One line per entry except sockets; contents are hashed. Inodes show which names are the same file. The app's own files are left out. */
const list = `
import os, stat, hashlib
os.chdir(b'/v'); firsts = {}
for root, dirs, files in os.walk(b'.'):
    for name in sorted(dirs + files) + ([b'.'] if root == b'.' else []):
        path = os.path.join(root, name)
        if name in (b'starts', b'value'): continue
        s = os.lstat(path); kind = stat.S_IFMT(s.st_mode)
        if kind == stat.S_IFSOCK: continue # nothing without its program
        what = os.readlink(path) if kind == stat.S_IFLNK else b''
        if kind == stat.S_IFREG: what = hashlib.file_digest(open(path, 'rb'), 'sha256').hexdigest().encode()
        xattrs = {k: os.getxattr(path, k) for k in os.listxattr(path, follow_symlinks=False)} if kind != stat.S_IFLNK else {}
        same = firsts.setdefault(s.st_ino, path) if kind == stat.S_IFREG else b''
        time = s.st_mtime_ns if name != b'.' else 0
        print(path, oct(s.st_mode), s.st_uid, s.st_gid, s.st_nlink if kind != stat.S_IFDIR else '', s.st_size if kind != stat.S_IFDIR else '', 'holes' if s.st_blocks * 512 < s.st_size else '', time, what, same, xattrs)
`;

/** Runs a Python program in a container with the volume at `/v`. @returns its output */
async function python({ engine }: DockerHost, volume: string, program: string): Promise<string> {
  await ensureTestImage(image);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const [{ StatusCode }] = await engine.run(image, ['python3', '-c', program], [stdout, stderr], {
    Tty: false,
    HostConfig: { AutoRemove: true, NetworkMode: 'none', Binds: [`${volume}:/v`] },
  });
  stdout.end();
  stderr.end();
  const [out, errors] = await printed;
  if (StatusCode !== 0) throw new Error(errors);
  return out;
}

export const fillVolume = (docker: DockerHost, volume: string) => python(docker, volume, fill);
export const listVolume = (docker: DockerHost, volume: string) => python(docker, volume, list);
