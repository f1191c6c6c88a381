import { spawn } from 'node:child_process';

/** Opens the browser of the desktop. Without a browser nothing happens, so print the URL as well. */
export function openBrowser(url: string): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
