import { DurableObject } from 'cloudflare:workers';

export class LogStream extends DurableObject {}
