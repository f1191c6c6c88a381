/**
 * An interactive session in a container, as it passes between client, session object and host.
 * Binary messages carry bytes: one byte that names the stream, then at most `shellPieceBytes` bytes. Text messages are the JSON below.
 * A side may send `shellWindowBytes` of bytes ahead; the other side grants more once it has passed them on. So no buffer on the way grows.
 */
import { z } from 'zod';

/** The WebSocket subprotocol. A client sends its ticket as a second one, because browsers can set no other header. */
export const shellProtocol = 'longshore.shell.v1';
/** Bytes that a side may send before the other one has granted more. */
export const shellWindowBytes = 256 * 1024;
/** Bytes of one binary message, without the byte of its stream. */
export const shellPieceBytes = 32 * 1024;
/**
 * Each message costs a part of a request, however short it is. So a sender of short pieces waits for so long between two reads of its
 * source; what comes meanwhile goes in one message.
 */
export const shellPieceMs = 20;
/** A piece or a grant of at least so many bytes is not short. */
export const shellShortBytes = 4 * 1024;
/** Short messages of a client: so many at once, and so many more each second. A client that sends more ends its session. */
export const shellShortMessages = { burst: 3_000, perSecond: 100 } as const;
/** Characters of one text message. */
export const shellTextMax = 1024;
/** A side that has received nothing for this long, although it sends `ping`, is not connected any more. */
export const shellSilenceMs = 75_000;
export const shellPingMs = 25_000;

/** First byte of a binary message: `input` from the client; `output` and `errors` from the host. A terminal has no `errors`. */
export const shellStreams = { input: 0, output: 1, errors: 2 } as const;

const cells = z.int().min(1).max(1000);
/** In characters. */
export const terminalSizeSchema = z.object({ columns: cells, rows: cells });
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

const shellSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/** So many more bytes may be sent. */
const grantSchema = z.object({ type: z.literal('grant'), bytes: z.int().min(1).max(shellWindowBytes) });

export const shellClientMessageSchema = z.discriminatedUnion('type', [
  grantSchema,
  z.object({ type: z.literal('resize'), ...terminalSizeSchema.shape }),
  /** No more input follows: what a program reads as the end of a file. */
  z.object({ type: z.literal('end-input') }),
  /** For a command without a terminal; in a terminal, keys do this. */
  z.object({ type: z.literal('signal'), signal: z.enum(shellSignals) }),
]);

/** `code: null`: it did not end by itself, and `reason` says why it is over. */
export const shellEndSchema = z.object({
  type: z.literal('exit'),
  code: z.int().min(0).max(255).nullable(),
  reason: z.string().max(500).nullable(),
});
export type ShellEnd = Omit<z.infer<typeof shellEndSchema>, 'type'>;

export const shellHostMessageSchema = z.discriminatedUnion('type', [grantSchema, shellEndSchema]);

/** From the session object to the host: the client is there. */
export const shellStartMessage = JSON.stringify({ type: 'start' });

/** The same: the session is over. Said before the close, because a close frame may be answered much later. */
export const shellOverMessage = JSON.stringify({ type: 'over' });

/** What the host receives. */
export const shellToHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start') }),
  z.object({ type: z.literal('over') }),
  ...shellClientMessageSchema.options,
]);

/** Answer of the host to `open-shell`. */
export const openShellAnswerSchema = z.discriminatedUnion('opened', [
  /** `container`: its name. */
  z.object({ opened: z.literal(true), container: z.string() }),
  z.object({
    opened: z.literal(false),
    code: z.enum(['conflict', 'quota_exceeded']),
    message: z.string(),
  }),
]);
export type OpenShellAnswer = z.infer<typeof openShellAnswerSchema>;

/** How many sessions a host has open at most: of all tenants, of one tenant, of one key and in one service. */
export const shellLimits = { host: 32, tenant: 16, key: 8, service: 4 } as const;
