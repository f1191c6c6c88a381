import { DurableObject } from 'cloudflare:workers';

export class RunnerHub extends DurableObject {}
