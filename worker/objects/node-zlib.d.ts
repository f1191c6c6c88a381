/**
 * The part of Node's API that the Worker uses (https://developers.cloudflare.com/workers/runtime-apis/nodejs/zlib/); the full types of Node would add
 * its globals.
 */
declare module 'node:zlib' {
  export function gzipSync(data: string): Uint8Array;
  export function gunzipSync(data: ArrayBuffer): Uint8Array;
}
