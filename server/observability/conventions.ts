/** Names of the OpenTelemetry semantic conventions (1.x, stable ones); their package is 10 MB of constants. */
export const ATTR_DB_COLLECTION_NAME = "db.collection.name";
export const ATTR_DB_OPERATION_NAME = "db.operation.name";
export const ATTR_DB_SYSTEM_NAME = "db.system.name";
export const ATTR_ERROR_TYPE = "error.type";
export const ATTR_HTTP_REQUEST_METHOD = "http.request.method";
export const ATTR_HTTP_RESPONSE_STATUS_CODE = "http.response.status_code";
export const ATTR_HTTP_ROUTE = "http.route";
export const ATTR_SERVER_ADDRESS = "server.address";
export const ATTR_SERVICE_NAME = "service.name";
export const ATTR_SERVICE_VERSION = "service.version";
export const ATTR_URL_SCHEME = "url.scheme";
export const METRIC_DB_CLIENT_OPERATION_DURATION = "db.client.operation.duration";
export const METRIC_HTTP_CLIENT_REQUEST_DURATION = "http.client.request.duration";
export const METRIC_HTTP_SERVER_REQUEST_DURATION = "http.server.request.duration";
