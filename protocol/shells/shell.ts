/**
 * The protocol of an interactive session in a container, between client, session object and host.
 * Binary messages carry bytes: one byte for the stream, then at most `shellPieceBytes` bytes. Text messages are the JSON below.
 * A side may send `shellWindowBytes` of bytes ahead; the other side grants more after it has passed them on. So no buffer in between grows.
 */
import { z } from 'zod';

/** The WebSocket subprotocol. A client sends its ticket as a second subprotocol, because browsers can set no other header. */
export const shellProtocol = 'longshore.shell.v1';
/** Bytes that a side may send before the other side has granted more. */
export const shellWindowBytes = 256 * 1024;
/** Bytes of one binary message, without the byte for the stream. */
export const shellPieceBytes = 32 * 1024;
/**
 * Each message costs a part of a request, however short it is. So a sender of short pieces waits this long between two reads of its
 * source, and sends everything that arrives during the wait in one message.
 */
export const shellPieceMs = 20;
/** A piece or a grant with at least this many bytes is not short. */
export const shellShortBytes = 4 * 1024;
/** A client's short messages: the number at once, and the rate. If a client sends more, its session ends. */
export const shellShortMessages = { burst: 3_000, perSecond: 100 } as const;
/** Maximum number of characters in one text message. */
export const shellTextMax = 1024;
/** If a side sends `ping` and receives nothing for this long, the connection is lost. */
export const shellSilenceMs = 75_000;
export const shellPingMs = 25_000;

/** First byte of a binary message: `input` from the client; `output` and `errors` from the host. A terminal has no `errors`. */
export const shellStreams = { input: 0, output: 1, errors: 2 } as const;

const cells = z.int().min(1).max(1000);
/** The size in characters. */
export const terminalSizeSchema = z.object({
  columns: cells.describe('Width in characters.'),
  rows: cells.describe('Height in characters.'),
});
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

const shellSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/** Allows the other side to send this many more bytes. */
const grantSchema = z.object({ type: z.literal('grant'), bytes: z.int().min(1).max(shellWindowBytes) });

export const shellClientMessageSchema = z.discriminatedUnion('type', [
  grantSchema,
  z.object({ type: z.literal('resize'), ...terminalSizeSchema.shape }),
  /** No more input follows; the program reads the end of the file. */
  z.object({ type: z.literal('end-input') }),
  /** Sends a signal to a command without a terminal; in a terminal, keys do this. */
  z.object({ type: z.literal('signal'), signal: z.enum(shellSignals) }),
]);

/** `code: null`: the command did not end by itself, and `reason` says why it ended. */
export const shellEndSchema = z.object({
  type: z.literal('exit'),
  code: z.int().min(0).max(255).nullable(),
  reason: z.string().max(500).nullable(),
});
export type ShellEnd = Omit<z.infer<typeof shellEndSchema>, 'type'>;

export const shellHostMessageSchema = z.discriminatedUnion('type', [grantSchema, shellEndSchema]);

/** From the session object to the host: the client is connected. */
export const shellStartMessage = JSON.stringify({ type: 'start' });

/** From the session object to the host: the session has ended. Sent before the close, because a close frame may be answered much later. */
export const shellOverMessage = JSON.stringify({ type: 'over' });

/** Messages that the host receives. */
export const shellToHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start') }),
  z.object({ type: z.literal('over') }),
  ...shellClientMessageSchema.options,
]);

/** The host's answer to `open-shell`. */
export const openShellAnswerSchema = z.discriminatedUnion('opened', [
  /** `container`: the container's name. */
  z.object({ opened: z.literal(true), container: z.string() }),
  z.object({
    opened: z.literal(false),
    code: z.enum(['conflict', 'quota_exceeded']),
    message: z.string(),
  }),
]);
export type OpenShellAnswer = z.infer<typeof openShellAnswerSchema>;

/** Most open sessions on a host: of all tenants, of one tenant, of one key and in one service. */
export const shellLimits = { host: 32, tenant: 16, key: 8, service: 4 } as const;
