import type { Logger } from '../../../runner/base/logger.ts';

export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
