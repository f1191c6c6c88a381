import { Failure } from '../base/failure.ts';

/** The folder was not sent completely. The parts that arrived are kept, so the next `up` sends only the rest. */
export class UnfinishedUpload extends Failure {
  constructor(cause: Error) {
    super(
      `${cause.message}\nThe parts that arrived are kept for 24 hours. To send only the rest: longshore up`,
    );
  }
}
