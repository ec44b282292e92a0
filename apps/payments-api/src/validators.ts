import {
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { redact } from '#problems/redact.js';

/** Passes a string that the given predicate knows. */
@ValidatorConstraint({ name: 'isCode' })
export class IsCode implements ValidatorConstraintInterface {
  validate(value: unknown, { constraints: [knows] }: ValidationArguments): boolean {
    return typeof value === 'string' && knows(value);
  }
}

/** Passes a string whose length, in characters as PostgreSQL counts them, lies between two bounds. */
@ValidatorConstraint({ name: 'isTextOfLength' })
export class IsTextOfLength implements ValidatorConstraintInterface {
  validate(value: unknown, { constraints: [min, max] }: ValidationArguments): boolean {
    return typeof value === 'string' && isWithin(value, min, max);
  }
}

/** Passes a string in which nothing has to be masked: no card number, no secret of ours or of the processor. */
@ValidatorConstraint({ name: 'holdsNoSecret' })
export class HoldsNoSecret implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && redact(value) === value;
  }
}

const MEMBERS_MAX = 50;
const NAME_LENGTH_MAX = 40;
const VALUE_LENGTH_MAX = 500;

/** Passes an object of strings within the limits; its message names the member at fault. */
@ValidatorConstraint({ name: 'isMetadata' })
export class IsMetadata implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return faultOf(value) === null;
  }

  defaultMessage({ value }: ValidationArguments): string {
    return faultOf(value)?.message ?? '';
  }
}

/** What is wrong with metadata, and under which member; null if nothing is. */
export function faultOf(value: unknown): { member: string | null; message: string } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { member: null, message: 'metadata must be an object of strings' };
  }
  const members = Object.entries(value);
  if (members.length > MEMBERS_MAX) {
    return { member: null, message: `metadata must have at most ${MEMBERS_MAX} members` };
  }
  for (const [name, text] of members) {
    if (!isWithin(name, 1, NAME_LENGTH_MAX)) {
      return {
        member: name,
        message: `names in metadata must have 1 to ${NAME_LENGTH_MAX} characters`,
      };
    }
    if (typeof text !== 'string' || !isWithin(text, 0, VALUE_LENGTH_MAX)) {
      const message = `values in metadata must be strings of at most ${VALUE_LENGTH_MAX} characters`;
      return { member: name, message };
    }
  }
  return null;
}

/** UTF-16 length is never less than the number of characters: count those only when it matters. */
function isWithin(text: string, min: number, max: number): boolean {
  if (text.length < min) return false;
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}
