// Bodies in `multipart/form-data`: text fields join the query, so that they are converted and
// checked like its parameters; files become arguments. The body has been received whole, within the
// limit of bodies, so that nothing remains of an invalid one.

import type { BusboyConstructor, BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { ParameterError } from "../../base/errors.js";
import type { RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { truncateForMessage } from "../contract/truncate-for-message.js";
import { missing } from "../request/query-values.js";
import { bodyView } from "../request/received.js";
import { UploadedFile } from "../request/uploaded-file.js";
import { DeferredCall } from "./validate-arguments.js";

const MEDIA_TYPE = "multipart/form-data";
const MAX_FIELD_BYTES = 64 * 1024;
const LIMITS = {
  fieldNameSize: 100,
  fieldSize: MAX_FIELD_BYTES,
  fields: 100,
  files: 20,
  headerPairs: 20,
};

/** A request whose form has been read. */
export interface FormSource extends RequestSource {
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/**
 * Calls a plugin that takes files.
 * @param names of its files
 * @param call converts the arguments and calls the function
 * @returns a call that waits for the form
 */
export function callWithForm(
  source: RequestSource,
  names: readonly string[],
  call: (source: FormSource) => unknown,
): DeferredCall {
  let form: FormSource;
  const read = readForm(source, names).then((found) => {
    form = found;
  });
  return new DeferredCall(read, () => call(form));
}

/** @throws ParameterError for a required file that the form does not have */
export function fileArgument({ files }: FormSource, name: string, required: boolean): unknown {
  const file = files.get(name);
  return file === undefined && required ? missing(name) : file;
}

async function readForm(source: RequestSource, names: readonly string[]): Promise<FormSource> {
  const files = new Map<string, UploadedFile>();
  const type = headerValue(source.headerBlock, "Content-Type") ?? "";
  const body = bodyView(source);
  if (body === null) return { ...source, files };
  if (!type.toLowerCase().startsWith(MEDIA_TYPE)) {
    throw invalid(`media type ${MEDIA_TYPE} is required`);
  }
  const fields: string[] = [];
  const { Busboy } = await import("@fastify/busboy");
  await new Promise<void>((resolve, reject) => {
    const reject400 = (reason: string) => reject(invalid(reason));
    const parser = createParser(Busboy, type);
    const readings: Promise<void>[] = [];
    parser.on("field", (name, value, isNameCut, isCut) => {
      if (isNameCut || isCut) return reject400(`field above ${MAX_FIELD_BYTES} bytes`);
      fields.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    });
    parser.on("file", (field, stream, name, _encoding, media) => {
      if (!names.includes(field) || files.has(field)) {
        stream.resume();
        const problem = files.has(field) ? "given twice" : "unknown";
        return reject400(`file ${truncateForMessage(field)} is ${problem}`);
      }
      // Its place is taken at once, so that another one of that name is found.
      files.set(field, new UploadedFile("", "", new Uint8Array(0)));
      readings.push(
        readStream(stream).then((bytes) => {
          files.set(field, new UploadedFile(name ?? "", media, bytes));
        }),
      );
    });
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      parser.on(limit, () => reject400("too many fields or files"));
    }
    parser.on("error", (error) => reject400((error as Error).message));
    parser.on("finish", () => Promise.all(readings).then(() => resolve(), reject));
    parser.end(body);
  });
  const query = [source.query, ...fields].filter((part) => part !== "").join("&");
  return { ...source, query, files };
}

/** @throws ParameterError for a type without boundary */
function createParser(Busboy: BusboyConstructor, type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": type }, limits: LIMITS });
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

async function readStream(stream: BusboyFileStream): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function invalid(reason: string): ParameterError {
  return new ParameterError("ValueError", `content (${reason})`);
}
