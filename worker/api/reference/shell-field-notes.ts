/** Fields of shells, and of their entries in the audit log. */
import type { FieldNotes } from './instance-field-notes.ts';

export const shellFieldNotes: FieldNotes = {
  terminal: [
    'The terminal that the command gets; absent: none, and output and errors stay apart.',
    undefined,
  ],
  shell: ['The session.', undefined],
  ticket: [
    'Connects the client to this session, once, within 30 s: the second subprotocol of the WebSocket.',
    'qT1m0Zc4nYv8k2Jx7sLr5wPd3fGh6bNa9uEi0oKyVtM',
  ],
  container: ['Name of the container.', 'longshore-svc_3kq9x7m2v5c8b1n4-stable'],
  connectPath: ['Where to connect by a WebSocket.', '/api/shells/connect?shell=shl_7q2w4e6r8t1y3u5i'],
  protocol: ['The first subprotocol of the WebSocket.', 'longshore.shell.v1'],
  derivedVariables: ['Variables that exist only for references, such as the URLs of a database.', undefined],
  seconds: ['How long it lasted.', 42],
  bytesIn: ['Bytes of input.', 120],
  bytesOut: ['Bytes of output.', 4096],
};
