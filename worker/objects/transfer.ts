import { DurableObject } from 'cloudflare:workers';

export class Transfer extends DurableObject {}
