/** Where a rule or a step stands. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Where a step stands. */
export interface StepPlace extends Place {
  /** The line of a field of it, or of the nearest there is, by its dotted path. */
  lineOf(field: string): number;
}
