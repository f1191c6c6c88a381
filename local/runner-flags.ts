/**
 * V8's young generation grows to 16 MB while a program loads, and keeps that size. A small one costs a few percent of CPU. The old generation
 * is collected when it has grown by half; without a limit it became four times as large.
 */
export const runnerFlags = ['--max-semi-space-size=1', '--heap-growing-percent=50'];
