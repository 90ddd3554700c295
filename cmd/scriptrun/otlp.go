package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// otlp sends to a collector over HTTP. The library's exporters for that link gRPC,
// which every worker would pay for; see docs/decisions/0042-opentelemetry.md.
type otlp struct {
	url     string
	headers http.Header
	gzip    bool
	client  *http.Client
}

// otlpOf reads the variable of one signal, or else the one for all signals.
func otlpOf(signal, name string) string {
	if own := strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_" + signal + "_" + name)); own != "" {
		return own
	}
	return strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_" + name))
}

// exports reports whether a signal is sent: the user names a collector, or asks for it
// by name.
func exports(signal string) (bool, error) {
	exporter := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_" + signal + "_EXPORTER")))
	switch {
	case strings.EqualFold(strings.TrimSpace(os.Getenv("OTEL_SDK_DISABLED")), "true"), exporter == "none":
		return false, nil
	case exporter == "" && otlpOf(signal, "ENDPOINT") == "":
		return false, nil
	case exporter != "" && !slices.Contains(strings.Split(exporter, ","), "otlp"):
		return false, fmt.Errorf("OTEL_%s_EXPORTER is %q; expected otlp or none", signal, exporter)
	}
	if protocol := otlpOf(signal, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; expected http/protobuf, the only one here: collectors listen for it on port 4318", protocol)
	}
	return true, nil
}

// newOTLP is a connection to the collector that the variables name. It dials nothing
// yet.
func newOTLP(signal string) (*otlp, error) {
	to, own := &otlp{headers: http.Header{}}, strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"))
	at := own
	if at == "" {
		if at = otlpOf(signal, "ENDPOINT"); at == "" {
			at = "http://localhost:4318"
		}
	}
	where, err := url.Parse(at)
	if err != nil || where.Host == "" || where.Scheme != "http" && where.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is no URL; expected one such as http://localhost:4318")
	}
	if own == "" {
		where = where.JoinPath("v1", strings.ToLower(signal))
	}
	to.url = where.String()
	for _, pair := range strings.FieldsFunc(otlpOf(signal, "HEADERS"), func(r rune) bool { return r == ',' }) {
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is malformed; expected name=value,name=value") // without its text, which may hold a secret
		}
		to.headers.Set(name, value)
	}
	timeout := 10 * time.Second
	if text := otlpOf(signal, "TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q; expected milliseconds", text)
		}
		timeout = time.Duration(n) * time.Millisecond
	}
	switch compression := otlpOf(signal, "COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		to.gzip = true
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q; expected gzip or none", compression)
	}
	secure, err := otlpTLS(signal)
	if err != nil {
		return nil, err
	}
	to.client = &http.Client{Timeout: timeout, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, ForceAttemptHTTP2: true}}
	return to, nil
}

// otlpTLS is the configuration of certificates in the variables; nil for the usual one.
func otlpTLS(signal string) (*tls.Config, error) {
	root, cert, key := otlpOf(signal, "CERTIFICATE"), otlpOf(signal, "CLIENT_CERTIFICATE"), otlpOf(signal, "CLIENT_KEY")
	if root == "" && cert == "" && key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if root != "" {
		const maxCertificates = 1 << 20
		text, err := regular.Read(root, maxCertificates)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s holds no certificate", root)
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// send posts a message once. It returns an error if the collector does not accept it.
func (o *otlp) send(ctx context.Context, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	if o.gzip {
		var small bytes.Buffer
		w := gzip.NewWriter(&small)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = small.Bytes()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = o.headers.Clone()
	request.Header.Set("Content-Type", "application/x-protobuf")
	if o.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := o.client.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // the connection is used again
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s", request.URL.Redacted(), response.Status)
	}
	return nil
}

// Start implements [otlptrace.Client].
func (o *otlp) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (o *otlp) Stop(context.Context) error {
	o.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements [otlptrace.Client]. The message has the same bytes as the
// request, whose package links gRPC.
func (o *otlp) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	return o.send(ctx, &tracepb.TracesData{ResourceSpans: spans})
}
